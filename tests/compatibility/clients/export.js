/**
 * Exports a trace with OpenTelemetry's own exporter: node export.js http|proto ADDRESS KEY. The packages are beside the
 * working folder.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [form, address, key] = process.argv.slice(2);
const require = createRequire(join(process.cwd(), "package.json"));
/** @param {string} name */
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { BasicTracerProvider, SimpleSpanProcessor } = await load("@opentelemetry/sdk-trace-base");
const { OTLPTraceExporter } = await load(`@opentelemetry/exporter-trace-otlp-${form}`);

const exporter = new OTLPTraceExporter({ url: address, headers: { "x-sentry-auth": `sentry sentry_key=${key}` } });
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer("shop");
const span = tracer.startSpan(`exported as ${form}`, { kind: 1, attributes: { "http.route": `/exported/${form}` } });
span.recordException(new RangeError(`no items in ${form}`));
span.end();
await provider.forceFlush();
await provider.shutdown();
