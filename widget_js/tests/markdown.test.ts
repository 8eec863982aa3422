import { describe, expect, it, vi } from "vitest";
import type { Block } from "../src/markdown/blocks";
import { MarkdownReader } from "../src/markdown/blocks";
import { repairBlock } from "../src/markdown/repair";
import { ALLOWED_ATTRIBUTES, ALLOWED_TAGS, sanitize } from "../src/markdown/sanitize";

const LONG = [
  "# Title",
  "",
  "A *paragraph* with [a link][ref] and `code`.",
  "",
  "1. one",
  "2. two",
  "",
  "   still two",
  "",
  "| a | b |",
  "|---|--:|",
  "| 1 | 2 |",
  "",
  "```js",
  "const a = `x`;",
  "",
  "// ``` not the end",
  "```",
  "",
  "> quoted",
  "",
  "The **end** 🌤️.",
  "",
  "[ref]: https://example.org",
].join("\n");

const content = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) => (block.kind === "code" ? [block.language, block.text] : block.kind === "prose" ? block.html : block.source));

describe("a growing text", () => {
  it("ends as the same blocks as when it is read at once", () => {
    const growing = new MarkdownReader();
    for (let end = 1; end <= LONG.length; end++) growing.read(LONG.slice(0, end), true);
    expect(content(growing.read(LONG, false))).toEqual(content(new MarkdownReader().read(LONG, false)));
  });

  it("keeps the objects of closed blocks, so that their pixels are kept", () => {
    const reader = new MarkdownReader();
    const before = reader.read("First paragraph.\n\nSecond", true);
    const after = reader.read("First paragraph.\n\nSecond paragraph.\n\nThird", true);
    expect(after[0]).toBe(before[0]);
    expect(after).toHaveLength(3);
  });

  it("reads only the open block again: work does not grow with what is closed", () => {
    const reader = new MarkdownReader();
    let text = "";
    let created = 0;
    let last: readonly Block[] = [];
    for (let n = 0; n < 300; n++) {
      text += `Paragraph number ${n}.\n\n`;
      const blocks = reader.read(text, true);
      created += blocks.filter((block, index) => last[index] !== block).length;
      last = blocks;
    }
    expect(created).toBeLessThanOrEqual(2 * 300);
  });

  it("an open fence is one code block that grows, and never prose", () => {
    const reader = new MarkdownReader();
    const blocks = reader.read("Look:\n\n```python\nprint(1)\n\n**not bold", true);
    expect(content(blocks)).toEqual(["<p>Look:</p>\n", ["python", "print(1)\n\n**not bold"]]);
  });

  it("a text that was replaced is read anew", () => {
    const reader = new MarkdownReader();
    reader.read("One.\n\nTwo", true);
    expect(content(reader.read("Other", true))).toEqual(["<p>Other</p>\n"]);
  });

  it("a link definition at the end reaches the links above once the text is finished", () => {
    const html = content(new MarkdownReader().read(LONG, false)).join("");
    expect(html).toContain('<a href="https://example.org">a link</a>');
  });

  it("a text that the Markdown reader gives up on is shown as it is", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const nested = `${">".repeat(4_000)} deep`;
    expect(new MarkdownReader().read(nested, false)).toEqual([{ kind: "plain", source: nested }]);
  });
});

describe("unfinished syntax is closed for the eye", () => {
  it.each([
    ["**bold", "**bold**"],
    ["**bold *and", "**bold *and***"],
    ["a `code", "a `code`"],
    ["~~gone", "~~gone~~"],
    ["**bold ", "**bold**"],
    ["word **", "word"],
    ["see [the docs](https://exa", "see the docs"],
    ["see [the do", "see the do"],
    ["![chart](https://x", ""],
    ["Heading\n--", "Heading"],
    ["2 * 3 and snake_case", "2 * 3 and snake_case"],
    ["`**` is a mark", "`**` is a mark"],
    ["* item", "* item"],
    ["done **well** ", "done **well** "],
    ["\\*not", "\\*not"],
  ])("%j → %j", (open, closed) => {
    expect(repairBlock(open)).toBe(closed);
  });
});

describe("hostile HTML", () => {
  const PAYLOADS = [
    '<img src=x onerror="alert(1)">',
    "<script>alert(1)</script>",
    "<style>*{display:none}</style>",
    '<a href="javascript:alert(1)">x</a>',
    '<a href="JaVa\tScRiPt:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<a href="vbscript:x">x</a>',
    '<a href="/lab/tree/secret.ipynb">x</a>',
    '<div id="main" class="jp-Cell" style="position:fixed" data-commandlinker-command="kernel:restart">x</div>',
    '<button data-commandlinker-command="notebook:run-all-cells">x</button>',
    '<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
    '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
    '<iframe src="https://example.org"></iframe><object data="x"></object><embed src="x">',
    '<form action="https://example.org"><input name="password"></form>',
    '<p aria-label="lies" role="alert" tabindex="1" contenteditable>x</p>',
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
  ];

  it.each(PAYLOADS)("%s leaves only allowed tags and attributes", (payload) => {
    const elements = [...sanitize(payload).querySelectorAll("*")];
    const tags = elements.map((element) => element.localName);
    const attributes = elements.flatMap((element) => [...element.attributes].map((attribute) => attribute.name));
    expect(tags.filter((tag) => !ALLOWED_TAGS.includes(tag))).toEqual([]);
    expect(attributes.filter((name) => !ALLOWED_ATTRIBUTES.includes(name))).toEqual([]);
    expect(elements.map((element) => element.getAttribute("href")).filter(Boolean)).toEqual([]);
  });

  it("harmless attributes of tables and lists stay", () => {
    const fragment = sanitize('<table><tbody><tr><td align="right">1</td></tr></tbody></table><ol start="3"><li>x</li></ol>');
    expect(fragment.querySelector("td")!.getAttribute("align")).toBe("right");
    expect(fragment.querySelector("ol")!.getAttribute("start")).toBe("3");
  });

  it("http, https and mailto stay links", () => {
    const fragment = sanitize('<a href="https://a.example/">a</a><a href="http://b.example/">b</a><a href="mailto:c@example.org">c</a>');
    expect([...fragment.querySelectorAll("a")].map((link) => link.getAttribute("href"))).toEqual(["https://a.example/", "http://b.example/", "mailto:c@example.org"]);
  });
});
