import { withSentryConfig } from "@sentry/nextjs/config";

// Nothing is uploaded: the figures are of the server, not of the build.
export default withSentryConfig(
  { typescript: { ignoreBuildErrors: true } },
  { silent: true, telemetry: false, sourcemaps: { disable: true } },
);
