/** Words of the assistant: Markdown, full width, no bubble. An empty block is nothing at all. */

import { Markdown } from "../markdown/render";
import type { Renderer, Samples } from "./_contract";

export const Text: Renderer<"text"> = ({ value, place }) => {
  if (!value.text.trim()) return null;
  return <Markdown text={value.text} isStreaming={place.isBusy && value.state === "streaming"} />;
};

export const samples: Samples<"text"> = {
  streaming: {
    value: { type: "text", text: "杭州今天 **25 度，多", state: "streaming" },
    place: { isBusy: true },
    shows: "杭州今天 25 度，多",
  },
  done: { value: { type: "text", text: "It is **25 °C** in Hangzhou 🌤️.", state: "done" }, shows: "It is 25 °C in Hangzhou 🌤️." },
  strange: {
    value: { type: "text", text: '<img src=x onerror=alert(1)>[go](javascript:alert(1))<b data-commandlinker-command="x">bold</b>' },
    shows: "Image not loaded: —gobold",
  },
};
