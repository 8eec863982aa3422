/**
 * Two carriers, one content: the numbered batches and the actions travel by comm, or by the Jupyter server's relay.
 *
 * Stage: between the kernel and the session. The relay streams on while a cell computes and is answered by the lab's own
 * thread, so it is preferred where the page is served by a Jupyter server with our extension. The comm works everywhere
 * else (marimo, VS Code, Colab). The relay is the only thing here that makes requests, and only to its own origin.
 */

import type { FromKernel, ToKernel } from "./document";
import { readEvents } from "./sse";

/** What anywidget gives: the parts of its model that we use. */
export interface Model {
  get(key: string): unknown;
  on(event: string, callback: (...values: unknown[]) => void): void;
  off(event: string, callback: (...values: unknown[]) => void): void;
  send(content: unknown): void;
}

export interface Carrier {
  readonly name: "comm" | "relay";
  /** Ask for everything after the last batch that we have, or for a snapshot when we have nothing. */
  sync(): void;
  /** False when the message did not arrive, or nobody knows whether it did: the kernel counts an `actionId` once. */
  send(message: ToKernel): Promise<boolean>;
  close(): void;
}

export type OnMessage = (message: FromKernel, carrier: Carrier) => void;

export class CommCarrier implements Carrier {
  readonly name = "comm";
  readonly #model: Model;
  readonly #from: () => number;
  readonly #listener: (content: unknown) => void;

  constructor(model: Model, from: () => number, onMessage: OnMessage) {
    this.#model = model;
    this.#from = from;
    this.#listener = (content) => {
      if (isFromKernel(content)) onMessage(content, this);
    };
    model.on("msg:custom", this.#listener);
  }

  sync(): void {
    void this.send({ type: "sync", from: this.#from() });
  }

  async send(message: ToKernel): Promise<boolean> {
    try {
      this.#model.send(message);
      return true;
    } catch (error) {
      console.warn("[aisdk-lab] the comm did not take a message:", error);
      return false;
    }
  }

  close(): void {
    this.#model.off("msg:custom", this.#listener);
  }
}

/** Where the relay of this sidebar is, and what its requests need; `undefined` when the page has no Jupyter server. */
export interface RelayAddress {
  /** `<base>aisdk-lab/k/<kernel id>/widget/<session>`, same origin as the page. */
  url: string;
  /** Read anew for each request: Jupyter may renew the cookie. */
  xsrfToken: () => string | undefined;
}

/** Milliseconds that the relay has for its first answer. Loopback answers in 3; a hub behind a proxy in some hundred. */
export const PROBE_MS = 2_000;
/** Milliseconds after which a posted action is given to the other carrier: the page may have no connection left for it. */
export const POST_MS = 5_000;
/** Keep-alive comments come every 15 s, and a C call that holds the interpreter may delay one by seconds. */
export const SILENCE_MS = 45_000;
/** Pauses before the relay is tried again after its stream ended. */
export const RETRY_MS: readonly number[] = [250, 1_000, 3_000];

export interface RelayEvents {
  /** The stream is open; messages follow. Called again when it was reopened. */
  onOpen(relay: RelayCarrier): void;
  onMessage: OnMessage;
  /** An open stream ended and could not be opened again. */
  onLost(relay: RelayCarrier): void;
}

export class RelayCarrier implements Carrier {
  readonly name = "relay";
  readonly #address: RelayAddress;
  readonly #from: () => number;
  readonly #events: RelayEvents;
  #stream: AbortController | undefined;
  #closed = false;

  constructor(address: RelayAddress, from: () => number, events: RelayEvents) {
    this.#address = address;
    this.#from = from;
    this.#events = events;
  }

  /** Open the stream in place of the one before. True as soon as the relay answers with one, false when it does not. */
  async open(): Promise<boolean> {
    this.#stream?.abort(); // never two connections for one sidebar
    const stream = (this.#stream = new AbortController());
    const patience = setTimeout(() => stream.abort(), PROBE_MS);
    try {
      const response = await fetch(`${this.#address.url}/events?from=${this.#from()}`, {
        headers: { Accept: "text/event-stream" },
        credentials: "same-origin",
        redirect: "error",
        cache: "no-store",
        signal: stream.signal,
      });
      const isStream = response.ok && response.headers.get("content-type")?.startsWith("text/event-stream");
      if (!isStream || !response.body || this.#closed || stream.signal.aborted) {
        stream.abort(); // an answer that is not read holds its connection as well
        return false;
      }
      this.#events.onOpen(this);
      void this.#follow(response.body, stream);
      return true;
    } catch {
      return false; // refused, aborted, or no such address: the comm is there for that
    } finally {
      clearTimeout(patience);
    }
  }

  async #follow(body: ReadableStream<Uint8Array>, stream: AbortController): Promise<void> {
    let silence = setTimeout(() => stream.abort(), SILENCE_MS);
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => stream.abort(), SILENCE_MS);
    };
    try {
      for await (const data of readEvents(body, heard)) {
        const content: unknown = JSON.parse(data);
        if (stream.signal.aborted) break; // what was already read: its successor brings it again
        if (isFromKernel(content)) this.#events.onMessage(content, this);
      }
    } catch (error) {
      if (!stream.signal.aborted) console.info("[aisdk-lab] the relay's stream broke:", error);
    }
    clearTimeout(silence);
    await this.#reopenAfter(stream);
  }

  /** Tries again after `ended` did, unless another stream was opened in its place meanwhile. */
  async #reopenAfter(ended: AbortController): Promise<void> {
    for (const pause of RETRY_MS) {
      if (this.#closed || ended !== this.#stream) return;
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (this.#closed || ended !== this.#stream) return;
      const opening = this.open();
      ended = this.#stream;
      if (await opening) return;
    }
    if (!this.#closed && ended === this.#stream) this.#events.onLost(this);
  }

  sync(): void {
    const opening = this.open(); // a stream starts with what is missing, so asking again is opening again
    const stream = this.#stream!;
    void opening.then((isOpen) => {
      if (!isOpen) void this.#reopenAfter(stream);
    });
  }

  async send(message: ToKernel): Promise<boolean> {
    const token = this.#address.xsrfToken();
    const post = new AbortController();
    const patience = setTimeout(() => post.abort(), POST_MS);
    try {
      const response = await fetch(`${this.#address.url}/actions`, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token ? { "X-XSRFToken": token } : {}) },
        credentials: "same-origin",
        redirect: "error",
        body: JSON.stringify(message),
        signal: post.signal,
      });
      return response.ok;
    } catch {
      return false; // the caller sends the same action, with the same id, by the other carrier
    } finally {
      clearTimeout(patience);
    }
  }

  close(): void {
    this.#closed = true;
    this.#stream?.abort();
  }
}

function isFromKernel(content: unknown): content is FromKernel {
  if (typeof content !== "object" || content === null) return false;
  const { type, seq } = content as { type?: unknown; seq?: unknown };
  return (type === "batch" || type === "snapshot") && typeof seq === "number";
}
