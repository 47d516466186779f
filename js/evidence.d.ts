// The public types of `@devcodex/intent-runtime/evidence`.

import type { EvidenceEntry, IntentContext } from '../index';

/** The texts that were recognised. */
export interface RenderEvidenceTexts {
  /** As `parse` was given it. */
  input: string;
  /** As `parse` was given it. */
  context?: IntentContext | undefined;
  /**
   * BCP 47 tag of the labels: Chinese for `zh` and its kin, else English.
   *
   * @defaultValue that of the input
   */
  language?: string | undefined;
}

/**
 * A page of evidence: the sources with their quotes marked, the values beside them. The HTML is
 * complete in itself, has no scripts and fetches nothing; every text in it is escaped.
 *
 * @throws {@link IntentError} `INPUT_INVALID` where the result has no evidence (`evidence: true` was
 * not asked for) or the texts are not those that were recognised.
 *
 * @example
 * ```ts
 * const result = await intent.parse({ input, context, evidence: true });
 * await writeFile('evidence.html', renderEvidence(result, { input, context }));
 * ```
 */
export declare function renderEvidence(
  result: { data: object; evidence?: readonly EvidenceEntry[] | undefined },
  texts: RenderEvidenceTexts,
): string;
