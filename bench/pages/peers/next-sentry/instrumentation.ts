import * as Sentry from "@sentry/nextjs";

export function register(): void {
  Sentry.init({ dsn: process.env.SENTRY_DSN, tracesSampleRate: Number(process.env.SENTRY_RATE) });
}

export const onRequestError = Sentry.captureRequestError;
