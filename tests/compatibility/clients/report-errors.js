/** Imported before a program, so that its errors are reported: node --import ./report-errors.js PROGRAM. */
import { init } from "sentry-node-11";

init({ dsn: process.env.SENTRY_DSN, release: "shop@1.0.0" });
