/** The page of the pictures: one fixture, drawn by the built bundle, on a host that looks like JupyterLab or like nothing. */

import type { Model } from "../src/carrier";
import { fixtures } from "./fixtures";

const query = new URLSearchParams(location.search);
const { document: shown, isGone } = fixtures()[query.get("fixture") ?? "weather"]!;

class FakeModel implements Model {
  readonly #listeners = new Map<string, Set<(...values: unknown[]) => void>>();
  readonly #traits: Record<string, unknown> = {
    session: "dev",
    kernel_id: "",
    carrier: "comm",
    language: "auto",
    theme: query.get("theme") ?? "auto",
    height_px: Number(query.get("height") ?? 640),
    snapshot: JSON.stringify(shown),
  };

  get(key: string): unknown {
    return this.#traits[key];
  }
  on(event: string, callback: (...values: unknown[]) => void): void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(callback));
  }
  off(event: string, callback: (...values: unknown[]) => void): void {
    this.#listeners.get(event)?.delete(callback);
  }
  send(content: unknown): void {
    if (isGone || (content as { type: string }).type !== "sync") return;
    queueMicrotask(() => this.emit("msg:custom", { type: "snapshot", seq: 1, document: shown }));
  }
  emit(event: string, ...values: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...values);
  }
}

const el = document.createElement("div");
document.querySelector("main")!.append(el);
const bundle = "./sidebar.js";
const { default: widget } = (await import(bundle)) as typeof import("../src/widget");
const model = new FakeModel();
widget.initialize({ model });
widget.render({ model, el });
if (isGone) model.emit("comm_live_update");

/** For the photographer: which fixtures there are, and what to press in one. */
export const names = (): string[] => Object.keys(fixtures());
export const press = (fixture: string): string[] => fixtures()[fixture]?.press ?? [];
