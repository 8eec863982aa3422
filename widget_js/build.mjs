// Builds the one ES module that anywidget loads. The same sources and lock file give the same bytes, everywhere:
// no source map (paths), one line in place of the packages' own comments, a fixed target.
import { build, transform } from "esbuild";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

const { dependencies } = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
const LICENCES = { dompurify: "(c) Cure53 and others, Apache-2.0 or MPL-2.0", marked: "(c) MarkedJS, Christopher Jeffrey, MIT", preact: "(c) Jason Miller, MIT" };
const contained = Object.entries(dependencies).map(([name, version]) => `${name} ${version} ${LICENCES[name]}`);

/** CSS comes into the bundle as text, minified: it is adopted by the shadow root of each view. */
const cssAsText = {
  name: "css-as-text",
  setup(setup) {
    setup.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true, target: "chrome111" });
      return { contents: code, loader: "text" };
    });
  },
};

export const options = {
  absWorkingDir: import.meta.dirname,
  entryPoints: ["src/widget.ts"],
  outfile: "../aisdk_lab/widget/static/sidebar.js",
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  sourcemap: false,
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  banner: { js: `/* aisdk-lab sidebar, built from widget_js. Contains ${contained.join("; ")}. */` },
  charset: "utf8",
  plugins: [cssAsText],
};

if (process.argv[1] === import.meta.filename) {
  const { metafile } = await build({ ...options, metafile: true });
  for (const [file, { bytes }] of Object.entries(metafile.outputs)) console.log(`${file}  ${(bytes / 1000).toFixed(1)} kB`);
}
