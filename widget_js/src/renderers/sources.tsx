/** The sources of a reply: one line behind it that opens to links. A document without an address is no link. */

import type { JSX } from "preact";
import { SafeLink } from "../markdown/render";
import { safeAddress } from "../markdown/sanitize";
import { useView } from "../view/context";
import { Row } from "../view/row";
import { sayCount } from "../view/strings";
import type { Renderer, Samples, Source } from "./_contract";

export const Sources: Renderer<"sources"> = ({ value, place }) => {
  const { say } = useView();
  const unique = [...new Map(value.map((source) => [source.sourceId, source])).values()];
  if (!unique.length) return null;
  return (
    <Row
      id={place.id}
      kind="sources"
      status="neutral"
      glyph="link"
      title={{ name: sayCount(say, "view.sources", unique.length) }}
      detail={() => (
        <ol class="sources">
          {unique.map((source) => (
            <li key={source.sourceId}>
              <SourceLine source={source} />
            </li>
          ))}
        </ol>
      )}
    />
  );
};

function SourceLine({ source }: { source: Source }): JSX.Element {
  const { say } = useView();
  if (source.type === "source-document") {
    return (
      <>
        {source.title || source.filename || source.sourceId} <span class="soft">{say("view.document")}</span>
      </>
    );
  }
  const address = safeAddress(source.url);
  const host = hostOf(source.url);
  if (!address) return <>{source.title || source.url}</>;
  return (
    <>
      <SafeLink address={address}>{source.title || host}</SafeLink> {source.title && <span class="soft">{host}</span>}
    </>
  );
}

/** The host of an address, or the text itself: a source may hold anything. */
function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

export const samples: Samples<"sources"> = {
  streaming: {
    value: [{ type: "source-url", sourceId: "s1", url: "https://example.org/a", title: "SSE" }],
    place: { isBusy: true },
    shows: "Used 1 source",
  },
  done: {
    value: [
      { type: "source-url", sourceId: "s1", url: "https://example.org/a", title: "SSE" },
      { type: "source-url", sourceId: "s1", url: "https://example.org/a", title: "SSE" },
      { type: "source-document", sourceId: "s2", mediaType: "application/pdf", title: "报告" },
    ],
    shows: "Used 2 sources",
  },
  strange: { value: [{ type: "source-url", sourceId: "s1", url: "javascript:alert(1)" }], shows: "Used 1 source" },
};
