/**
 * The document as far as it was received, and whether something is missing.
 *
 * Stage: kernel → view. Batches are numbered; the Jupyter server may drop some silently above a thousand messages a
 * second, so a gap is not an accident but a case. Nothing is thrown away silently: what does not follow, or does not fit,
 * is answered with "gap", and the session asks again.
 */

import { applyOperations } from "./apply";
import type { Document, FromKernel } from "./document";
import { EMPTY, completeDocument } from "./document";

export type Received = "applied" | "known" | "gap";

export class DocumentStore {
  document: Document = EMPTY;
  /** Number of the last batch that is in `document`. */
  seq = 0;
  /** Whether a snapshot ever came: from then on there is something to show, even when the kernel is gone. */
  loaded = false;
  /** Whether only a snapshot helps: at the start, after a batch that did not fit, and when the kernel may be a new one. */
  stale = true;

  receive(message: FromKernel): Received {
    if (message.type === "snapshot") {
      this.document = completeDocument(message.document);
      this.seq = message.seq;
      this.loaded = true;
      this.stale = false;
      return "applied";
    }
    if (this.stale || message.seq > this.seq + 1) return "gap";
    if (message.seq <= this.seq) return "known";
    const { document, problem } = applyOperations(this.document, message.ops);
    if (problem !== undefined) {
      console.warn(`[aisdk-lab] batch ${message.seq} does not fit: ${problem}`);
      this.stale = true; // ask for a snapshot: the same batch again would not fit either
      return "gap";
    }
    this.document = document;
    this.seq = message.seq;
    return "applied";
  }

  /** The number to ask from: 0 asks for a snapshot. */
  get from(): number {
    return this.stale ? 0 : this.seq;
  }
}
