// Runs the Rust tests under Valgrind: no access to invalid memory, no decision on an uninitialised value, no
// lost memory. Safe Rust rules this out; this part also checks the unsafe code of libraries with the data of
// this crate.

import { check, child, proof } from './support.mjs';

/** Tests to skip, by parts of their names: under Valgrind every step takes about fifty times as long. */
const LEFT_OUT = [
  // Hundreds of thousands of steps, or every entry of a registry; smaller tests run the same code.
  'the_bridge_does_what_the_model_does',
  'ten_thousand_cancellations',
  'one_timer_ends_thousands',
  'canonical_is_idempotent_over_the_registry',
  'the_registry_is_searched_to_its_ends',
  'classes_are_bounded',
  'verdicts_are_those_of_reg_exp',
  'verdicts_are_the_snapshots',
  'properties_hold_the_code_points',
  'long_texts_are_read',
  'no_schema_overflows_the_stack',
  'schema_suites',
  'a_thousand_at_concurrency_64',
  'five_hundred_calls',
  'a_line_that_is_too_long',
  'mutations',
  // They measure time or memory, or start this binary again, which Valgrind does not follow.
  'linear_time',
  'the_budget',
  'a_quick_verdict',
  'memory_stays_in_proportion',
  'an_endless_line',
  'idle_connections_end',
  'drops',
  'connecting_has_an_end',
  'what_ends_a_job',
  'closed_output',
  'non_blocking',
  'answers_then_ends',
  'hygiene',
  // The cipher of TLS is assembly that uses whole registers. Valgrind considers a part of them uninitialised,
  // and reports every encrypted byte.
  'tls::',
];

/** The test binaries of the crate, as cargo names them. */
async function binaries() {
  const args = ['test', '--lib', '--test', 'it', '--no-run', '--locked', '--message-format=json'];
  const built = await child('cargo', args, { seconds: 3600 });
  check(built.code === 0, () => built.stderr);
  return built.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ executable, profile }) => executable && profile.test)
    .map(({ executable }) => executable);
}

await proof('memory', async ({ figure }) => {
  const valgrind = await child('valgrind', ['--version']).catch((error) => error);
  if (valgrind.code !== 0) return figure('not run', valgrind.message ?? valgrind.stderr);
  let tests = 0;
  for (const binary of await binaries()) {
    const run = await child(
      'valgrind',
      [
        '--error-exitcode=99',
        '--leak-check=full',
        // Memory that lives as long as the process is reachable or, in a thread, possibly lost.
        '--show-leak-kinds=definite',
        '--errors-for-leak-kinds=definite',
        // A pool's threads take turns; a waiting one must not starve the others.
        '--fair-sched=yes',
        binary,
        '--test-threads=1',
        ...LEFT_OUT.flatMap((name) => ['--skip', name]),
      ],
      { seconds: 7200 },
    );
    // `cargo test` checks the results; here some tests exceed their timeouts.
    check([0, 101].includes(run.code), () => `${binary}: ${run.code}\n${run.stderr.slice(-5000)}`);
    const [, summary] = /ERROR SUMMARY: (\d+ errors)/.exec(run.stderr);
    check(summary === '0 errors', () => run.stderr.slice(-5000));
    const [, passed, late] = /test result: \w+\. (\d+) passed; (\d+) failed/.exec(run.stdout);
    tests += Number(passed) + Number(late);
  }
  figure('Rust tests under Valgrind', tests);
  figure('errors, and blocks lost', 0);
});
