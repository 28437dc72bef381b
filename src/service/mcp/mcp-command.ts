import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "../commands/command.ts";
import { tokenFor } from "../commands/remote/open-remote.ts";

const usage = "mcp [--data FOLDER | --service URL]";

/** Standard output belongs to the protocol, so nothing is printed. */
export const mcpCommand: ServiceCommand = {
  usage,
  options: {
    ...dataOption,
    "--service URL":
      "a service, or a running `holdfast dev`, instead of a folder; with the token of HOLDFAST_TOKEN or of holdfast login",
  },
  description: "answers agents on standard input and output, by the Model Context Protocol",
  async run(args, { warn }) {
    const { options, rest } = readArguments(args, { data: "text", service: "text" }, usage);
    if (rest.length > 0) throw wrongUse(`${rest[0]} is no option.`, usage);
    const { forwardStdio, serveFolderOnStdio } = await import("./stdio.ts");
    const input = process.stdin;
    if (typeof options.service === "string")
      await forwardStdio(readService(options.service), {
        input,
        warn,
        token: tokenFor(new URL(options.service).origin),
      });
    else await serveFolderOnStdio(dataFolderOf(options), { input, warn });
    return 0;
  },
};

function readService(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw wrongUse(`--service must be an address such as https://errors.example, got "${text}".`, usage);
}
