/** Set-up code of Sentry clients, ready to paste. */
export function clientSetUps(dsn: string): { name: string; text: string }[] {
  const quoted = JSON.stringify(dsn);
  return [
    {
      name: "Holdfast, another application",
      text: `// holdfast.config.ts\nexport default {\n  report: { dsn: ${quoted} },\n} satisfies HoldfastConfig;`,
    },
    {
      name: "Browser",
      text: `import * as Sentry from "@sentry/browser";\n\nSentry.init({ dsn: ${quoted} });`,
    },
    {
      name: "Node",
      text: `import * as Sentry from "@sentry/node";\n\nSentry.init({ dsn: ${quoted}, tracesSampleRate: 0.1 });`,
    },
    { name: "Python", text: `import sentry_sdk\n\nsentry_sdk.init(dsn=${quoted}, traces_sample_rate=0.1)` },
    { name: "PHP", text: `\\Sentry\\init(['dsn' => '${dsn}']);` },
    { name: "Ruby", text: `Sentry.init do |config|\n  config.dsn = '${dsn}'\nend` },
    { name: "Go", text: `sentry.Init(sentry.ClientOptions{Dsn: ${quoted}})` },
    { name: "Java", text: `Sentry.init(options -> options.setDsn(${quoted}));` },
    { name: ".NET", text: `SentrySdk.Init(options => options.Dsn = ${quoted});` },
    {
      name: "OpenTelemetry",
      text: `OTEL_EXPORTER_OTLP_ENDPOINT=${apiOf(dsn)}/integration/otlp\nOTEL_EXPORTER_OTLP_HEADERS="x-sentry-auth=sentry sentry_key=${keyOf(dsn)}"`,
    },
  ];
}

function keyOf(dsn: string): string {
  return new URL(dsn).username;
}

/** Clients read from a DSN where to send: to `/api/PROJECT`, below the path that is before the project. */
function apiOf(dsn: string): string {
  const { origin, pathname } = new URL(dsn);
  return origin + pathname.replace(/\/([^/]*)$/, "/api/$1");
}
