// The public types of `@devcodex/intent-runtime/evidence`.

import type { EvidenceEntry, IntentContext } from '../index';

/** The texts of the recognition, and the language of the page. */
export interface RenderEvidenceTexts {
  /** The input that was passed to `parse`. */
  input: string;
  /** The context that was passed to `parse`. */
  context?: IntentContext | undefined;
  /**
   * BCP 47 tag of the language of the labels: Chinese for `zh` and other Chinese languages, otherwise
   * English.
   *
   * @defaultValue the language of the input
   */
  language?: string | undefined;
}

/**
 * Renders a page of evidence: the sources with marked quotes, and the values beside them. The HTML is one
 * complete document without scripts, loads nothing from outside, and escapes every text.
 *
 * @throws {@link IntentError} `INPUT_INVALID` if the result has no evidence (the request did not have
 * `evidence: true`), or if the texts are not those of the recognition.
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
