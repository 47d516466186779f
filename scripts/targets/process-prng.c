/* bcryptprimitives.dll for a Wine without one (Wine 9 added it): Rust's standard library takes its random bytes
 * from it, and every Windows since 8 has it. */

#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length) {
  return RtlGenRandom(bytes, (ULONG)length);
}
