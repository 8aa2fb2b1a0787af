// Rust, coloured: a tokenizer that knows comments, strings, numbers and names, and nothing else.

const KEYWORDS = new Set(("as async await break const continue crate dyn else enum extern false fn for if impl in " +
  "let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while").split(" "));

const TOKEN = new RegExp([
  "(?<comment>//[^\\n]*|/\\*)",
  "(?<raw>b?c?r(?<hashes>#*)\")",
  "(?<string>[bc]?\"(?:[^\"\\\\]|\\\\[^])*\"?)",
  "(?<char>b?'(?:\\\\(?:x[0-9a-fA-F]{2}|u\\{[^}]*\\}|.)|[^'\\\\\\n])')",
  "(?<lifetime>'[A-Za-z_]\\w*)",
  "(?<attribute>#!?\\[[^\\]\\n]*\\]?)",
  "(?<number>\\b\\d[\\w]*(?:\\.\\d[\\w]*)?)",
  "(?<macro>[A-Za-z_]\\w*!(?!=))",
  "(?<name>[A-Za-z_]\\w*)",
].join("|"), "gu");

/** Where a block comment ends; they nest. */
function commentEnd(text, from) {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = from;
  let depth = 1;
  for (let found; (found = edge.exec(text));) {
    depth += found[0] === "/*" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
  return text.length;
}

/** The lines of a text, each a list of [class, text]. */
function tokenize(text) {
  const lines = [[]];
  const push = (kind, piece) => {
    piece.split("\n").forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part) lines[lines.length - 1].push([kind, part]);
    });
  };
  TOKEN.lastIndex = 0;
  let at = 0;
  for (let found; (found = TOKEN.exec(text));) {
    if (found.index > at) push("", text.slice(at, found.index));
    const groups = found.groups;
    let end = TOKEN.lastIndex;
    let kind = "";
    if (groups.comment) {
      kind = /^\/\/[/!]/.test(found[0]) ? "doc" : "com";
      if (found[0] === "/*") end = commentEnd(text, end);
    } else if (groups.raw) {
      kind = "str";
      const close = text.indexOf('"' + groups.hashes, end);
      end = close < 0 ? text.length : close + 1 + groups.hashes.length;
    } else if (groups.string || groups.char) kind = "str";
    else if (groups.lifetime) kind = "lif";
    else if (groups.attribute) kind = "att";
    else if (groups.number) kind = "num";
    else if (groups.macro) kind = "mac";
    else if (KEYWORDS.has(found[0])) kind = "key";
    else if (/^[A-Z]/.test(found[0])) kind = "typ";
    else if (text[end] === "(") kind = "fun";
    push(kind, text.slice(found.index, end));
    at = TOKEN.lastIndex = end;
  }
  push("", text.slice(at));
  return lines;
}
