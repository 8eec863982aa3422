/**
 * A file: a picture that came with the message is shown, anything else is a line with a way to get it.
 *
 * Only `data:` pictures are drawn. A remote one would tell its server who is reading, so it stays a link.
 */

import type { JSX } from "preact";
import type { FilePart } from "../document";
import { SafeLink } from "../markdown/render";
import { safeAddress } from "../markdown/sanitize";
import { useView } from "../view/context";
import { Glyph } from "../view/glyph";
import type { Renderer, Samples } from "./_contract";

const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

export const File: Renderer<"file"> = ({ value }) => {
  const { say } = useView();
  const name = value.filename ?? say("view.file");
  const isPicture = PICTURE.test(value.url ?? "");
  return (
    <div class="file" data-kind="file">
      {isPicture && <img class="picture" src={value.url} alt={name} />}
      <div class="file-line">
        <Glyph name="file" />
        <span class="file-name">{name}</span>
        <span class="soft">{value.mediaType}</span>
        <FileAddress part={value} name={name} />
      </div>
    </div>
  );
};

function FileAddress({ part, name }: { part: FilePart; name: string }): JSX.Element {
  const { say } = useView();
  const url = part.url ?? "";
  if (url.startsWith("data:")) {
    return (
      <a class="link-button" href={url} download={part.filename ?? "file"} aria-label={`${say("view.file.download")} ${name}`}>
        {say("view.file.download")}
      </a>
    );
  }
  const address = safeAddress(url);
  if (address) return <SafeLink address={address}>{say("view.file.open")}</SafeLink>;
  return <span class="soft">{say("view.file.refused")}</span>;
}

/** One transparent pixel. */
const PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

export const samples: Samples<"file"> = {
  streaming: { value: { type: "file", mediaType: "text/csv", url: "data:text/csv,a,b", filename: "表.csv" }, place: { isBusy: true }, shows: "表.csvtext/csvSave" },
  done: { value: { type: "file", mediaType: "image/gif", url: PIXEL }, shows: "Fileimage/gifSave" },
  strange: { value: { type: "file", mediaType: "text/html", url: "javascript:alert(1)" }, shows: "cannot be opened" },
};
