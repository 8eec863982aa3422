/**
 * One sidebar in this page: its document, its carrier, and what the person did in it that the kernel need not know.
 *
 * Stage: state of the model. Views come and go (JupyterLab detaches outputs that scroll away; two views of one sidebar
 * may be open), so the draft of the prompt and the open rows live here, not in a view.
 */

import type { Carrier, Model, RelayAddress } from "./carrier";
import { CommCarrier, RelayCarrier } from "./carrier";
import type { Action, ActionMessage, Document, FromKernel } from "./document";
import { EMPTY, completeDocument, entryOf, isObject } from "./document";
import { relayAddress } from "./host";
import { takePlace } from "./places";
import { DocumentStore } from "./store";

/**
 * loading: nothing came yet. live: the kernel answers. slow: it has not answered for a while. gone: its comm is dead.
 * In the last two the last known document, or the stored snapshot, is shown read-only.
 */
export type Connection = "loading" | "live" | "slow" | "gone";

/** How a row was opened: by itself, closed again by itself, or by the person, whose word is the last one. */
export type Fold = "auto-open" | "auto-closed" | "user-open" | "user-closed";

/** Where an answer of the person is: on its way, or behind the cell that the kernel is running. */
export type Underway = "sending" | "queued";

/** Milliseconds without the first answer before the stored snapshot is shown. */
export const PATIENCE_MS = 3_000;
/** Milliseconds after which an action that nothing answered is said to wait for the running cell. */
export const UNANSWERED_MS = 1_500;
/** Pauses between two questions to a kernel that does not answer; the last one repeats. */
export const ASK_AGAIN_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000, 15_000];
/** Milliseconds after the kernel spoke again for which an answered question still stays locked. */
export const UNLOCK_MS = 10_000;

const WATCHED_TRAITS = ["snapshot", "language", "theme", "height_px"] as const;

export class Session {
  readonly model: Model;
  readonly store = new DocumentStore();
  readonly folds = new Map<string, Fold>();
  connection: Connection = "loading";
  draft = "";
  /** The last action reached no carrier at all. */
  actionLost = false;
  /** An action was sent by comm and nothing came back yet. */
  unanswered = false;
  /** Counts the changes of what `underway` says, so that a view knows when to ask again. */
  decisions = 0;

  readonly #comm: CommCarrier;
  #relay: RelayCarrier | undefined;
  /** Gives back the place that the relay's stream has, or waits for. */
  #returnPlace: (() => void) | undefined;
  #views = 0;
  #carrier: Carrier;
  #attempts = 0;
  #askTimer: Timer;
  #patienceTimer: Timer;
  #unansweredTimer: Timer;
  #relayTimer: Timer;
  #closed = false;
  readonly #listeners = new Set<() => void>();
  /** Answered questions by id: the timer that unlocks them runs once the kernel has spoken. */
  readonly #decided = new Map<string, Timer>();
  readonly #notify = (): void => {
    for (const listener of this.#listeners) listener();
  };

  constructor(model: Model) {
    this.model = model;
    this.#comm = new CommCarrier(model, () => this.store.from, this.#receive);
    this.#carrier = this.#comm;
  }

  /** Ask the kernel for the document by comm, unless the relay is forced; the relay is for views. */
  start(): void {
    this.model.on("comm_live_update", this.#onCommChanged);
    for (const trait of WATCHED_TRAITS) this.model.on(`change:${trait}`, this.#notify);
    this.#patienceTimer = setTimeout(() => this.#setConnection("slow"), PATIENCE_MS);
    if (this.#forced !== "relay") this.#ask();
  }

  /** A view is shown. The relay's stream is open only while there is one: a page restores many sidebars that nobody sees. */
  attach(): () => void {
    if (this.#views++ === 0) this.#seekRelay();
    let isAttached = true;
    return () => {
      if (!isAttached) return;
      isAttached = false;
      if (--this.#views === 0) this.#dropRelay();
    };
  }

  close(): void {
    this.#closed = true;
    for (const timer of [this.#askTimer, this.#patienceTimer, this.#unansweredTimer, this.#relayTimer, ...this.#decided.values()])
      clearTimeout(timer);
    this.model.off("comm_live_update", this.#onCommChanged);
    for (const trait of WATCHED_TRAITS) this.model.off(`change:${trait}`, this.#notify);
    this.#comm.close();
    this.#endRelay();
    this.#listeners.clear();
  }

  /** What a view shows: what the kernel said last, or the stored snapshot when it never said anything. */
  get document(): Document {
    if (this.store.loaded) return this.store.document;
    return this.connection === "loading" ? EMPTY : storedSnapshot(this.model.get("snapshot"));
  }

  get carrierName(): "comm" | "relay" {
    return this.#carrier.name;
  }

  /** The listener is called after each change, possibly many times between two frames: it must only take note. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Send what the person did. When the relay fails, the comm takes the same `actionId`, so nothing happens twice. */
  async act(action: Action): Promise<void> {
    const message: ActionMessage = { type: "action", actionId: newActionId(), ...action };
    let carrier = this.#carrier;
    let sent = await carrier.send(message);
    if (!sent && carrier !== this.#comm && this.#forced !== "relay") {
      carrier = this.#comm;
      sent = await carrier.send(message);
    }
    this.actionLost = !sent;
    if (sent && carrier === this.#comm && this.#unansweredTimer === undefined) {
      this.#unansweredTimer = setTimeout(() => {
        this.unanswered = true;
        this.decisions++;
        this.#notify();
      }, UNANSWERED_MS);
    }
    this.#notify();
  }

  /** Answer a waiting call, once: it stays locked until the kernel has spoken and some seconds have passed. */
  async decide(id: string, action: Action): Promise<void> {
    if (this.#decided.has(id)) return;
    this.#decided.set(id, undefined);
    this.decisions++;
    this.#notify();
    await this.act(action);
    if (this.actionLost) this.#unlock(id);
  }

  /** Where the answer to this approval or call is, if the person gave one. */
  underway(id: string): Underway | undefined {
    const reported = entryOf(this.document.queuedDecisions, id);
    if (reported !== undefined) return reported === "sending" ? "sending" : "queued";
    if (!this.#decided.has(id)) return undefined;
    return this.unanswered ? "queued" : "sending";
  }

  #unlock(id: string): void {
    clearTimeout(this.#decided.get(id));
    if (!this.#decided.delete(id)) return;
    this.decisions++;
    this.#notify();
  }

  get #forced(): "comm" | "relay" | undefined {
    const carrier = this.model.get("carrier");
    return carrier === "comm" || carrier === "relay" ? carrier : undefined;
  }

  readonly #receive = (message: FromKernel, carrier: Carrier): void => {
    // One carrier at a time: a batch of the other one may be ahead, and would look like a gap.
    if (this.#closed || carrier !== this.#carrier) return;
    if (this.store.receive(message) === "gap") {
      if (this.#askTimer === undefined) this.#ask(); // one question, not one for each batch after the gap
      return;
    }
    this.#heard();
    this.#notify();
  };

  /** The kernel spoke, and what it said fits: nothing need be asked again. */
  #heard(): void {
    this.#stopAsking();
    for (const timer of [this.#patienceTimer, this.#unansweredTimer]) clearTimeout(timer);
    this.#patienceTimer = this.#unansweredTimer = undefined;
    this.#attempts = 0;
    if (this.unanswered) this.decisions++;
    this.unanswered = false;
    this.connection = "live";
    for (const [id, timer] of this.#decided) {
      if (timer === undefined) this.#decided.set(id, setTimeout(() => this.#unlock(id), UNLOCK_MS));
    }
  }

  /** Ask now, and again after a growing pause until something that fits arrives. */
  #ask(): void {
    if (this.#closed) return;
    const pause = ASK_AGAIN_MS[Math.min(this.#attempts++, ASK_AGAIN_MS.length - 1)]!;
    this.#stopAsking();
    this.#askTimer = setTimeout(() => this.#ask(), pause); // before asking: the answer may come within the call
    this.#carrier.sync();
  }

  #stopAsking(): void {
    clearTimeout(this.#askTimer);
    this.#askTimer = undefined;
  }

  /** The comm died or came back. Only a new snapshot proves a living kernel, so ask for one and wait a little. */
  readonly #onCommChanged = (): void => {
    if (this.#carrier === this.#comm) this.#doubt("gone");
  };

  #doubt(otherwise: Connection): void {
    this.store.stale = true;
    this.#attempts = 0;
    clearTimeout(this.#patienceTimer);
    this.#patienceTimer = setTimeout(() => this.#setConnection(otherwise), UNANSWERED_MS);
    this.#ask();
  }

  /** Open the relay's stream as soon as the page has a place for it; the comm carries everything meanwhile. */
  #seekRelay(): void {
    const address = relayAddress(this.model);
    if (this.#closed || this.#forced === "comm" || !address) return;
    this.#returnPlace = takePlace(() => void this.#openRelay(address));
  }

  async #openRelay(address: RelayAddress): Promise<void> {
    const relay = new RelayCarrier(address, () => this.store.from, {
      onOpen: (opened) => {
        this.#carrier = opened;
        if (!this.store.stale) this.#heard();
        else this.#stopAsking(); // a stream from 0 starts with a snapshot: no need to ask the comm again
        this.#notify();
      },
      onMessage: this.#receive,
      onLost: (lost) => this.#leaveRelay(lost),
    });
    this.#relay = relay;
    if (!(await relay.open())) this.#leaveRelay(relay);
  }

  /** The relay does not work: the comm takes over, or a forced one is tried again later. */
  #leaveRelay(relay: RelayCarrier): void {
    if (relay !== this.#relay) return; // ended on purpose
    this.#endRelay();
    if (this.#forced === "relay") {
      this.#setConnection("slow");
      this.#relayTimer = setTimeout(() => this.#seekRelay(), ASK_AGAIN_MS.at(-1));
    } else if (this.#carrier !== this.#comm) {
      this.#carrier = this.#comm;
      this.#doubt("slow");
    }
  }

  /** The last view went. The comm goes on from the same number, so nothing is applied twice and nothing is missed. */
  #dropRelay(): void {
    this.#endRelay();
    if (this.#closed || this.#forced === "relay" || this.#carrier === this.#comm) return;
    this.#carrier = this.#comm;
    this.#attempts = 0;
    this.#ask();
  }

  #endRelay(): void {
    clearTimeout(this.#relayTimer);
    this.#relay?.close();
    this.#relay = undefined;
    this.#returnPlace?.();
    this.#returnPlace = undefined;
  }

  #setConnection(connection: Connection): void {
    if (this.connection === connection) return;
    this.connection = connection;
    this.#notify();
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;

/** `crypto.randomUUID` is missing on plain http pages, where many hubs still live. */
function newActionId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let parsed: { text: unknown; document: Document } | undefined;

/** The snapshot trait as a document; parsed once for each text, so that the views see the same objects. */
function storedSnapshot(text: unknown): Document {
  if (parsed?.text === text && parsed) return parsed.document;
  let document = EMPTY;
  try {
    const value: unknown = typeof text === "string" && text ? JSON.parse(text) : {};
    if (isObject(value)) document = completeDocument(value as Partial<Document>);
  } catch (error) {
    console.warn("[aisdk-lab] the stored snapshot is not JSON:", error);
  }
  parsed = { text, document };
  return document;
}
