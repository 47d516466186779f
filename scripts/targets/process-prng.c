/* bcryptprimitives.dll for a Wine that has none (it came with Wine 9): Rust's standard library takes its
 * random bytes from there, and every Windows since 8 has it. */

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
  return RtlGenRandom(bytes, (ULONG)length);
}
