/**
 * HTML that a model made, reduced to what prose needs.
 *
 * Stage: view. Two fences, one behind the other: DOMPurify with an allow list, and the walk in `render.tsx` that builds
 * new elements from its own table and copies nothing. JupyterLab's page would run an inline handler, and acts on
 * `data-commandlinker-command`: hence no `id`, `class`, `style` or `data-*`, and no scheme but http, https and mailto.
 */

import DOMPurify from "dompurify";

export const ALLOWED_TAGS: readonly string[] = [
  "p", "br", "strong", "b", "em", "i", "del", "s", "code", "pre", "kbd", "sub", "sup", "blockquote", "hr",
  "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td",
  "a", "img", "input",
]; // prettier-ignore

/** `img` keeps only its `alt`, which is shown as text; `input` is the box of a task list, drawn as a character. */
export const ALLOWED_ATTRIBUTES: readonly string[] = ["href", "alt", "align", "start", "checked", "colspan", "rowspan"];

const ALLOWED_SCHEMES = /^(?:https?|mailto):/i;

/** The address if it may be opened from here, else `undefined`. */
export function safeAddress(href: string | null | undefined): string | undefined {
  const address = href?.trim();
  return address && ALLOWED_SCHEMES.test(address) ? address : undefined;
}

/** A harmless fragment of the page's document, made from any text. */
export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [...ALLOWED_TAGS],
    ALLOWED_ATTR: [...ALLOWED_ATTRIBUTES],
    ALLOWED_URI_REGEXP: ALLOWED_SCHEMES,
    // The scheme is checked on every attribute that is not listed here, and "center" has none.
    ADD_URI_SAFE_ATTR: ALLOWED_ATTRIBUTES.filter((name) => name !== "href"),
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
