/**
 * Markdown on the page.
 *
 * Stage: view. Clean HTML is walked once and built anew as elements from the table below; nothing of what came is copied,
 * so there is no `innerHTML` here, and Preact keeps what did not change (a selection, a scroll position in a table).
 */

import type { ComponentChild, JSX } from "preact";
import { h } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { useView } from "../view/context";
import { Copy } from "../view/copy";
import { LongText, PROSE_CODE_LIMITS } from "../view/long_text";
import { memo } from "../view/memo";
import type { Say } from "../view/strings";
import type { Block, CodeBlock as CodeBlockData } from "./blocks";
import { MarkdownReader } from "./blocks";
import { safeAddress, sanitize } from "./sanitize";

export function Markdown({ text, isStreaming }: { text: string; isStreaming: boolean }): JSX.Element {
  const reader = (useRef<MarkdownReader>(null).current ??= new MarkdownReader());
  return (
    <div class="prose">
      {reader.read(text, isStreaming).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

const BlockView = memo(
  function BlockView({ block }: { block: Block }): JSX.Element {
    if (block.kind === "code") return <CodeBlock block={block} />;
    return block.kind === "prose" ? <Prose html={block.html} /> : <p class="plain-text">{block.source}</p>;
  },
  (before, after) => before.block === after.block,
);

function Prose({ html }: { html: string }): JSX.Element {
  const { say } = useView();
  const children = useMemo(() => build(sanitize(html), say), [html, say]);
  return <>{children}</>;
}

function CodeBlock({ block }: { block: Pick<CodeBlockData, "language" | "text" | "isOpen"> }): JSX.Element {
  return (
    <div class="code-block" data-open={block.isOpen || undefined}>
      <div class="code-head">
        <span class="code-language">{block.language || "text"}</span>
        <Copy text={() => block.text} />
      </div>
      <pre class="code-text" dir="ltr">
        <LongText text={block.text} limits={PROSE_CODE_LIMITS} showsAll={block.isOpen} />
      </pre>
    </div>
  );
}

/** Elements that are built as they are, with the attributes that they may keep. Everything else has its own case below. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  p: [], br: [], strong: [], b: [], em: [], i: [], del: [], s: [], code: [], kbd: [], sub: [], sup: [], blockquote: [], hr: [],
  ul: [], ol: ["start"], li: [], thead: [], tbody: [], tr: [], th: ["align", "colspan", "rowspan"], td: ["align", "colspan", "rowspan"],
}; // prettier-ignore

function build(parent: Node, say: Say): ComponentChild[] {
  return [...parent.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    return node instanceof Element ? buildElement(node, say) : null;
  });
}

function buildElement(element: Element, say: Say): ComponentChild {
  const name = element.localName;
  const kept = PLAIN[name];
  if (kept) {
    const attributes = Object.fromEntries(kept.flatMap((key) => (element.hasAttribute(key) ? [[key, element.getAttribute(key)]] : [])));
    return h(name, attributes, build(element, say));
  }
  if (/^h[1-6]$/.test(name)) {
    // The page has its own headings: those of an answer start below them.
    return h(`h${Math.min(6, Number(name[1]) + 2)}`, { class: `prose-${name}` }, build(element, say));
  }
  if (name === "a") return buildLink(element, say);
  if (name === "pre") return <CodeBlock block={{ language: "", text: element.textContent ?? "", isOpen: false }} />;
  if (name === "img") return <span class="blocked-image">{say("view.blocked_image", { name: element.getAttribute("alt") || "—" })}</span>;
  if (name === "input") return <span class="task-box">{element.hasAttribute("checked") ? "☑ " : "☐ "}</span>;
  if (name === "table") {
    return (
      <div class="table-scroll" tabIndex={0} role="group" aria-label={say("view.table")}>
        <table>{build(element, say)}</table>
      </div>
    );
  }
  return build(element, say);
}

function buildLink(element: Element, say: Say): ComponentChild {
  const address = safeAddress(element.getAttribute("href"));
  if (!address) return build(element, say);
  return <SafeLink address={address}>{build(element, say)}</SafeLink>;
}

/** A link that leaves the page in its own tab, without telling where it came from. */
export function SafeLink({ address, children }: { address: string; children: ComponentChild | ComponentChild[] }): JSX.Element {
  const { say } = useView();
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={`${address} (${say("view.new_tab")})`}>
      {children}
    </a>
  );
}
