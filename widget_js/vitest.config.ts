import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "jsdom", // DOMPurify needs a DOM that parses as browsers do; happy-dom is not one of those
    include: ["tests/**/*.test.{ts,tsx}"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
  },
});
