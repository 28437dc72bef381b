export { createErrorRecorder, type RecorderOptions } from "./server/record-errors.ts";
