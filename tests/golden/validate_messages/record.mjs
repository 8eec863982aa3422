// node record.mjs KIND < more.jsonl > recorded.jsonl     (KIND: validate_messages or convert)
// Runs the reference on the `input` of each line and writes the line with what came out as `expect`.
// JSON Schemas go through zod's fromJSONSchema. `ai` and `zod` are those of tests/interop.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const root = process.env.INTEROP ?? new URL("../../interop/", import.meta.url).pathname;
const require = createRequire(pathToFileURL(root + "package.json"));
const { safeValidateUIMessages, convertToModelMessages } = await import(pathToFileURL(require.resolve("ai")));
const { fromJSONSchema } = await import(pathToFileURL(require.resolve("zod")));
globalThis.AI_SDK_LOG_WARNINGS = false;

const mapped = (object, change) => object && Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

async function validate_messages({ messages, tools, dataSchemas, metadataSchema }) {
  const result = await safeValidateUIMessages({
    messages,
    tools: mapped(tools, (tool) => tool && mapped(tool, fromJSONSchema)),
    dataSchemas: mapped(dataSchemas, fromJSONSchema),
    metadataSchema: metadataSchema && fromJSONSchema(metadataSchema),
  });
  if (result.success) return { success: true, data: result.data };
  const { name, message, context, cause } = result.error;
  const issues = cause?.issues?.map(({ path, message }) => ({ path, message })) ?? null;
  // The issues of the schema library are listed apart; a cause of the reference's own is kept whole.
  return { success: false, error: { name, message: issues ? message.split("\nError message: ")[0] : message, ...context }, issues };
}

async function convert({ messages, options = {} }) {
  const { tools, convertDataPart, ...rest } = options;
  const toModelOutput = (name) => ({ output }) => ({ type: "text", value: `${name}:${JSON.stringify(output)}` });
  try {
    const modelMessages = await convertToModelMessages(messages, {
      ...rest,
      tools: tools && Object.fromEntries(Object.entries(tools).map(([name, kind]) => [name, kind === "plain" ? {} : { toModelOutput: toModelOutput(name) }])),
      convertDataPart:
        convertDataPart === "text" ? (part) => ({ type: "text", text: `${part.type}=${JSON.stringify(part.data)}` }) : convertDataPart && (() => undefined),
    });
    return { modelMessages };
  } catch ({ name, message }) {
    return { error: { name, message } };
  }
}

const run = { validate_messages, convert }[process.argv[2]];
for (const line of readFileSync(0, "utf-8").split("\n").filter(Boolean)) {
  const given = JSON.parse(line);
  const pristine = JSON.parse(line); // the reference may change what it is given
  const expect = await run(given.input);
  process.stdout.write(JSON.stringify({ ...pristine, expect }) + "\n");
}
