import { withSentryConfig } from "@sentry/nextjs/config";

// Nothing is uploaded: the figures concern the server, not the build.
export default withSentryConfig(
  { typescript: { ignoreBuildErrors: true } },
  { silent: true, telemetry: false, sourcemaps: { disable: true } },
);
