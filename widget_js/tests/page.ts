/** A page for the tests: a fake model with a fake kernel behind it, and one or more views of it. */

import { within } from "@testing-library/dom";
import type { BoundFunctions } from "@testing-library/dom";
import type { queries } from "@testing-library/dom";
import { onTestFinished } from "vitest";
import type { Model } from "../src/carrier";
import type { ActionMessage, Document, FromKernel, Operation, ToKernel } from "../src/document";
import { completeDocument } from "../src/document";
import widget from "../src/widget";

let serial = 0;

/** A widget model, and the kernel's side of its comm. */
export class FakeModel implements Model {
  readonly traits: Record<string, unknown>;
  readonly sent: ToKernel[] = [];
  readonly #listeners = new Map<string, Set<(...values: unknown[]) => void>>();
  seq = 1;
  /** What the kernel answers to a sync; nothing while undefined. */
  document: Document | undefined;

  constructor(document?: Partial<Document>, traits: Record<string, unknown> = {}) {
    this.document = document && completeDocument(document);
    this.traits = { session: `s${serial++}`, kernel_id: "k", carrier: "comm", language: "en", theme: "light", height_px: 400, snapshot: "", ...traits };
  }

  get(key: string): unknown {
    return this.traits[key];
  }
  on(event: string, callback: (...values: unknown[]) => void): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(callback));
  }
  off(event: string, callback: (...values: unknown[]) => void): void {
    this.#listeners.get(event)?.delete(callback);
  }
  send(content: unknown): void {
    const message = content as ToKernel;
    this.sent.push(message);
    if (message.type === "sync" && this.document) this.say({ type: "snapshot", seq: this.seq, document: this.document });
  }
  emit(event: string, ...values: unknown[]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(...values);
  }
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }

  /** The kernel says something by comm. */
  say(message: FromKernel): void {
    this.emit("msg:custom", structuredClone(message));
  }
  /** The kernel pushes the next batch. */
  push(...ops: Operation[]): void {
    this.say({ type: "batch", seq: ++this.seq, ops });
  }
  get actions(): Omit<ActionMessage, "type" | "actionId">[] {
    return this.sent.filter((message) => message.type === "action").map(({ type: _type, actionId: _id, ...action }) => action);
  }
}

export interface View {
  el: HTMLElement;
  root: ShadowRoot;
  screen: BoundFunctions<typeof queries>;
  remove: () => void;
}

/** Draws one view of the model; taken away again when the test ends. */
export function show(model: FakeModel, parent: HTMLElement = document.body): View {
  const cleanUp = widget.initialize({ model });
  const el = document.createElement("div");
  parent.append(el);
  const unmount = widget.render({ model, el });
  const remove = (): void => {
    unmount();
    el.remove();
  };
  onTestFinished(() => {
    remove();
    cleanUp();
  });
  const root = el.shadowRoot!;
  return { el, root, screen: within(root.querySelector<HTMLElement>(".stage")!), remove };
}

/** Lets the frame pass in which the last changes are drawn, and the effects after it. */
export async function frame(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => setTimeout(resolve));
}
