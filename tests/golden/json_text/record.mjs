// node record.mjs > json_text.jsonl
// One line a case: the JSON text, and what JSON.stringify(JSON.parse(text)) makes of it (null: JSON.parse refuses).
// The random part is seeded, so that the file can be made again.
let state = 20261101;
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
  let mixed = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  mixed ^= mixed >>> 15;
  return (mixed >>> 0) / 2 ** 32;
};
const pick = (list) => list[Math.floor(random() * list.length)];

const bits = new DataView(new ArrayBuffer(8));
const randomDouble = () => {
  bits.setUint32(0, Math.floor(random() * 2 ** 32));
  bits.setUint32(4, Math.floor(random() * 2 ** 32));
  const number = bits.getFloat64(0);
  return Number.isFinite(number) ? number : 0.1;
};

const texts = [
  // numbers
  "0", "-0", "-0.0", "0e5", "-0e-5", "1", "-1", "1.0", "1.50", "1e3", "1E3", "1e+3", "1e-3", "100e-2", "0.1", "0.30000000000000004",
  "1e15", "1e16", "1e20", "1e21", "1e22", "123456789012345680000", "1234567890123456800000", "1e-5", "1e-6", "1e-7", "1.5e-7", "1e-10",
  "123e-20", "5e-324", "1e-400", "-1e-400", "1.7976931348623157e308", "1e308", "1e309", "1e400", "-1e400", "9007199254740991",
  "9007199254740992", "9007199254740993", "-9007199254740993", "18446744073709551615", "18446744073709551616", "36893488147419103232",
  "1" + "0".repeat(30), "9".repeat(309), "9".repeat(400), "9".repeat(5000), "-" + "9".repeat(5000), "0." + "1".repeat(400),
  "01", "-01", "+1", "1.", ".5", "-", "1e", "1e+", "0x10", "1_0", "--1", "NaN", "Infinity", "-Infinity", "١",
  // literals and structure
  "null", "true", "false", "nul", "True", "None", "", " ", "[]", "{}", " [ 1 , 2 ] ", "[1,]", "[,1]", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}",
  "{\"a\" 1}", "{\"a\":}", "{\"a\":1 \"b\":2}", "[1 2]", "[1]]", "[1] x", "{\"a\":1}{\"b\":2}", "\ufeff1", "\u00a01", "\u000b1", "\u20281", "/**/1", "1//",
  "{\"a\":1,\"a\":2}", "{\"a\":{\"b\":1},\"a\":{\"c\":2}}", "{\"\":1}", "{\"b\":1,\"a\":2}",
  // order of keys
  "{\"b\":1,\"2\":2,\"1\":3,\"a\":4,\"10\":5}", "{\"01\":1,\"1\":2,\"-1\":3,\"0\":4,\"1.5\":5,\"1e3\":6}",
  "{\"z\":0,\"4294967294\":1,\"4294967295\":2,\"4294967296\":3,\"7\":4}", "{\" 1\":1,\"1\":2}", "{\"x\":{\"3\":1,\"1\":[{\"2\":1,\"0\":2}]}}",
  // strings
  "\"\"", "\"a\\/b\"", "\"\\b\\f\\n\\r\\t\\\"\\\\\"", "\"\\u0000\\u0001\\u001f\\u007f\\u0080\"", "\"\u007f\u0080\u2028\u2029\"", "\"杭州 😀\"", "\"\\u676d\\u5dde \\ud83d\\ude00\"",
  "\"\\u00e9\"", "\"<script>&'\"", "\"a\tb\"", "\"a\nb\"", "\"a\u0000b\"", "\"\\x41\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\U0041\"", "\"\\'\"", "\"a", "\"\\\"", "\"\\ud83d\"",
  "\"\\ude00\\ud83d\"", "\"\\ud83dx\"", "\"\\ud83d\\ud83d\\ude00\"", "{\"\\ud83d\":\"\\ude00\"}", "\"\\uD83D\\uDE00\"",
];
for (let count = 0; count < 300; count++) texts.push(JSON.stringify(randomDouble()));
for (let count = 0; count < 60; count++) texts.push(String(Math.floor(random() * 2 ** 32)) + pick(["", "e" + pick([1, 5, 9, 12, 15, -3, -9, -17]), "." + Math.floor(random() * 1e6)]));

const strings = ["", "a", "\"", "\\", "/", "\n", "\u001f", "é", "杭", "😀", "\u2028", "__x__", "0", "12"];
// Keys without escapes: V8's parser (node 24.19.0) was seen to read the second of two keys "\n" in one object as "\\",
// depending on the objects parsed before.
const keys = ["", "a", "/", "é", "杭", "😀", "\u2028", "__x__", "0", "12", "7", "30", "004"];
const value = (depth) => {
  const kind = random();
  if (depth > 0 && kind < 0.25) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1));
  if (depth > 0 && kind < 0.6) {
    const pairs = Array.from({ length: Math.floor(random() * 5) }, () => [pick(keys), value(depth - 1)]);
    return { pairs };
  }
  return pick([null, true, false, 0, 1.5, -2, 1e21, randomDouble(), pick(strings) + pick(strings)]);
};
const text = (item) =>
  Array.isArray(item)
    ? `[${item.map(text).join(pick([",", " , "]))}]`
    : item !== null && typeof item === "object"
      ? `{${item.pairs.map(([key, member]) => `${JSON.stringify(key)}:${text(member)}`).join(",")}}`
      : JSON.stringify(item);
for (let count = 0; count < 300; count++) texts.push(text(value(4)));

for (const given of texts) {
  let stringified = null;
  try {
    stringified = JSON.stringify(JSON.parse(given));
  } catch {
    // refused
  }
  console.log(JSON.stringify({ text: given, stringified }));
}
