//! Takes wrapping off a reply, in every format: one block of thinking at its start, as reasoning
//! models without a channel of their own write it, then one code fence (CommonMark 0.31, section
//! 4.5) around all of the rest. Other deviations from the requested form are left for the repair to
//! report.

use crate::text::{is_blank, is_ecma_space};

/// Returns the candidate in a reply. A reply that is only wrapping stays as it is.
pub(super) fn candidate(reply: String) -> String {
    let inside = without_fence(without_thinking(&reply));
    if inside.len() == reply.len() || is_blank(inside) {
        return reply;
    }
    inside.to_owned()
}

/// `<think>…</think>`, or `…</think>` where a chat template wrote the opening mark into the
/// prompt (QwQ, Qwen3 and R1 behind vLLM). A text that begins as an answer does is no thinking,
/// whatever marks stand in it.
fn without_thinking(reply: &str) -> &str {
    let trimmed = reply.trim_start_matches(is_ecma_space);
    if trimmed.starts_with(['{', '`', '~']) {
        return reply;
    }
    let block = trimmed.strip_prefix("<think>").unwrap_or(trimmed);
    block.split_once("</think>").map_or(reply, |(_, rest)| rest)
}

fn without_fence(reply: &str) -> &str {
    let trimmed = reply.trim_matches(is_ecma_space);
    fenced(trimmed).unwrap_or(reply)
}

/// The inside of a text that is one fenced block from its first to its last line.
fn fenced(text: &str) -> Option<&str> {
    let fence = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = text.len() - text.trim_start_matches(fence).len();
    let (info, inside) = text[width..].split_once('\n')?;
    if width < 3 || (fence == '`' && info.contains('`')) {
        return None;
    }
    let mut at = 0;
    for line in inside.split_inclusive('\n') {
        let mark = line.trim_end().trim_start_matches(' ');
        let closes = mark.len() >= width && mark.chars().all(|c| c == fence);
        if closes {
            return (at + line.len() == inside.len()).then(|| &inside[..at]);
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::candidate;

    #[test]
    fn one_block_and_one_fence_come_off() {
        for (reply, left) in [
            ("{}", "{}"),
            (" {} \n", " {} \n"),
            ("```json\n{}\n```", "{}\n"),
            ("```\n{}\n```\n", "{}\n"),
            ("\n```JSON\r\n{}\r\n```\r\n", "{}\r\n"),
            ("~~~json\n{}\n~~~", "{}\n"),
            ("````\n```\n{}\n```\n````", "```\n{}\n```\n"),
            ("<think>a ``` {} b</think>{}", "{}"),
            ("<think></think>\n\n```json\n{}\n```", "{}\n"),
            ("\n<think>\n</think>\n{}", "\n{}"),
            ("</think>{}", "{}"),
            ("The user wants {\"a\":1}.\n</think>\n\n{}", "\n\n{}"),
            ("好的，用户要查询。</think>```json\n{}\n```", "{}\n"),
            ("a </think>{\"a\":\"</think>\"}", "{\"a\":\"</think>\"}"),
            ("```json\n{\"a\":\"```\"}\n```", "{\"a\":\"```\"}\n"),
        ] {
            assert_eq!(candidate(reply.to_owned()), left, "{reply:?}");
        }
    }

    #[test]
    fn everything_else_stays() {
        for reply in [
            "",
            "```",
            "``````",
            "```json",
            "```json\n{}",
            "```json {} ```",
            "``\n{}\n``",
            "Here it is:\n```json\n{}\n```",
            "```json\n{}\n```\nI hope this helps.",
            "```json\n{}\n```\n```json\n{}\n```",
            "<think>never closed {}",
            "{}<think></think>",
            "{\"a\":\"</think>\"}",
            " {\"a\":\"<think>b</think>\"}",
            "```json\n{\"a\":\"</think>\"}\n",
            "<think>all</think>",
            "only thoughts</think>\n",
            "<think>a</think>```\n```",
            "<thinking>a</thinking>{}",
            "<THINK>a</THINK>{}",
            "```json\n{}\n~~~",
        ] {
            assert_eq!(candidate(reply.to_owned()), reply, "{reply:?}");
        }
        assert_eq!(
            candidate("<think>a</think><think>b</think>{}".to_owned()),
            "<think>b</think>{}"
        );
    }
}
