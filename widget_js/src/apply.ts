/**
 * Operations on the document, with structural sharing.
 *
 * Stage: kernel → view. A batch makes a new document in which only the containers on a changed path are new, so a
 * renderer can see by identity what it need not draw again. Within one batch a container is copied at most once: a batch
 * of a thousand appends to one text costs one copy of the parts list, not a thousand.
 */

import type { Document, Json, Operation } from "./document";
import { completeDocument, isObject } from "./document";

export type Applied = { document: Document; problem?: undefined } | { document?: undefined; problem: string };

type Container = Json[] | { [key: string]: Json };

class PathProblem extends Error {}

/** The document after a batch, or what did not fit. A batch that does not fit changes nothing: the caller asks again. */
export function applyOperations(document: Document, operations: readonly Operation[]): Applied {
  const owned = new Set<Container>();
  let root = document as unknown as Json;
  try {
    for (const [op, path, value] of operations) {
      root = path.length === 0 ? replaceRoot(op, value) : applyOne(root, op, path, value, owned);
    }
  } catch (error) {
    if (error instanceof PathProblem) return { problem: error.message };
    throw error;
  }
  return { document: root as unknown as Document };
}

function replaceRoot(op: Operation[0], value: Json | undefined): Json {
  if (op !== "set" || !isObject(value)) throw new PathProblem(`cannot ${op} the whole document`);
  return completeDocument(value as Partial<Document>) as unknown as Json;
}

function applyOne(root: Json, op: Operation[0], path: (string | number)[], value: Json | undefined, owned: Set<Container>): Json {
  const newRoot = own(root, owned, path, 0);
  let parent: Container = newRoot;
  const end = op === "add" ? path.length : path.length - 1; // `add` names the list, the others name a place in a container
  for (let depth = 0; depth < end; depth++) {
    const child = own(read(parent, path, depth), owned, path, depth + 1);
    write(parent, path[depth]!, child);
    parent = child;
  }
  change(parent, op, path, value);
  return newRoot;
}

function change(parent: Container, op: Operation[0], path: (string | number)[], value: Json | undefined): void {
  const key = path[path.length - 1]!;
  if (op !== "remove" && value === undefined) throw new PathProblem(`${op} at ${where(path)} without a value`);
  if (op === "add") {
    if (!Array.isArray(parent)) throw new PathProblem(`no list at ${where(path)}`);
    parent.push(value!);
  } else if (op === "append") {
    const before = read(parent, path, path.length - 1);
    if (typeof before !== "string" || typeof value !== "string") throw new PathProblem(`no text at ${where(path)}`);
    write(parent, key, before + value);
  } else if (op === "set") {
    if (Array.isArray(parent) && !(typeof key === "number" && key >= 0 && key <= parent.length))
      throw new PathProblem(`no place at ${where(path)} in a list of ${parent.length}`);
    write(parent, key, value!);
  } else if (op === "remove") {
    read(parent, path, path.length - 1);
    if (Array.isArray(parent)) parent.splice(key as number, 1);
    else delete parent[key];
  } else {
    throw new PathProblem(`no operation is called ${String(op)}`);
  }
}

/** A copy of `value` that this batch may change; the value itself when the batch has copied it already. */
function own(value: Json, owned: Set<Container>, path: (string | number)[], depth: number): Container {
  if (typeof value !== "object" || value === null) throw new PathProblem(`nothing to enter at ${where(path.slice(0, depth))}`);
  if (owned.has(value)) return value;
  const copy: Container = Array.isArray(value) ? value.slice() : { ...value };
  owned.add(copy);
  return copy;
}

function read(parent: Container, path: (string | number)[], depth: number): Json {
  const key = path[depth]!;
  const found = Array.isArray(parent) ? typeof key === "number" && key in parent : Object.hasOwn(parent, key);
  if (!found) throw new PathProblem(`nothing at ${where(path.slice(0, depth + 1))}`);
  return (parent as { [key: string]: Json })[key] as Json;
}

function write(parent: Container, key: string | number, value: Json): void {
  if (key === "__proto__") {
    // A tool may send such a key; plain assignment would change what the object is instead of what it holds.
    Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (parent as { [key: string]: Json })[key] = value;
  }
}

function where(path: (string | number)[]): string {
  return "$" + path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
}
