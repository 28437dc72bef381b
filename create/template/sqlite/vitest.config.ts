import { defineConfig } from "vitest/config";

/** Tests have a database of their own, which is gone when they end. */
export default defineConfig({ test: { env: { NOTES_FILE: ":memory:" } } });
