import type { BuildOptions } from "esbuild";
export const options: BuildOptions;
