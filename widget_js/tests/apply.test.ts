import { describe, expect, it } from "vitest";
import { applyOperations } from "../src/apply";
import type { Document, Operation } from "../src/document";
import { completeDocument } from "../src/document";

const two = (): Document =>
  completeDocument({
    messages: [
      { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] },
      { id: "a", role: "assistant", parts: [{ type: "text", text: "He", state: "streaming" }] },
    ],
  });

function after(...operations: Operation[]): Document {
  const { document, problem } = applyOperations(two(), operations);
  if (problem !== undefined) throw new Error(problem);
  return document;
}

describe("operations", () => {
  it("append joins text, also across a surrogate pair", () => {
    const document = after(["append", ["messages", 1, "parts", 0, "text"], "llo \ud83c"], ["append", ["messages", 1, "parts", 0, "text"], "\udf24"]);
    expect(document.messages[1]!.parts).toEqual([{ type: "text", text: "Hello 🌤", state: "streaming" }]);
  });

  it("add pushes to the list at the path", () => {
    const document = after(["add", ["messages", 1, "parts"], { type: "step-start" }]);
    expect(document.messages[1]!.parts).toEqual([{ type: "text", text: "He", state: "streaming" }, { type: "step-start" }]);
  });

  it("set assigns a key, a list place, and the whole document", () => {
    expect(after(["set", ["status"], "streaming"]).status).toBe("streaming");
    expect(after(["set", ["messages", 0], { id: "x", role: "user", parts: [] }]).messages.map((message) => message.id)).toEqual(["x", "a"]);
    expect(after(["set", [], { title: "New" }])).toEqual(completeDocument({ title: "New" }));
  });

  it("remove deletes a key and closes the gap in a list", () => {
    expect(after(["remove", ["messages", 1, "parts", 0, "state"]]).messages[1]!.parts[0]).toEqual({ type: "text", text: "He" });
    expect(after(["remove", ["messages", 0]]).messages.map((message) => message.id)).toEqual(["a"]);
  });

  it("a later operation sees what an earlier one of the same batch added", () => {
    const document = after(
      ["add", ["messages"], { id: "b", role: "assistant", parts: [] }],
      ["add", ["messages", 2, "parts"], { type: "text", text: "" }],
      ["append", ["messages", 2, "parts", 0, "text"], "x"],
    );
    expect(document.messages[2]).toEqual({ id: "b", role: "assistant", parts: [{ type: "text", text: "x" }] });
  });

  it("what did not change keeps its identity, what changed does not", () => {
    const before = two();
    const { document } = applyOperations(before, [["append", ["messages", 1, "parts", 0, "text"], "!"]]);
    expect(document!.messages[0]).toBe(before.messages[0]);
    expect(document!.tools).toBe(before.tools);
    expect(document!.messages[1]).not.toBe(before.messages[1]);
    expect(before.messages[1]!.parts[0]).toEqual({ type: "text", text: "He", state: "streaming" });
  });

  it("a key called __proto__ is a key like any other", () => {
    const document = after(["set", ["tools", "__proto__"], { status: "done" }]);
    expect(Object.getPrototypeOf(document.tools)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(document.tools)).toEqual(["__proto__"]);
  });

  it.each<[string, Operation, string]>([
    ["an unknown key", ["append", ["messages", 1, "words"], "x"], "nothing at $.messages[1].words"],
    ["a message that is not there", ["append", ["messages", 7, "parts", 0, "text"], "x"], "nothing at $.messages[7]"],
    ["a text that is a list", ["append", ["messages"], "x"], "no text at $.messages"],
    ["a list that is a text", ["add", ["title"], "x"], "nothing to enter at $.title"],
    ["a hole in a list", ["set", ["messages", 5], null], "no place at $.messages[5] in a list of 2"],
    ["an inherited key", ["remove", ["tools", "toString"]], "nothing at $.tools.toString"],
    ["a whole document that is none", ["set", [], 3], "cannot set the whole document"],
    ["an operation from the future", ["swap" as "set", ["title"], "x"], "no operation is called swap"],
  ])("%s is reported and changes nothing", (_, operation, problem) => {
    const before = two();
    expect(applyOperations(before, [["set", ["title"], "changed"], operation])).toEqual({ problem });
    expect(before).toEqual(two());
  });
});
