import { contents, guideText } from "../server/guides.ts";

/** Index of the documentation for language models, with links to the plain Markdown. */
export function GET(request: Request): Response {
  const { origin } = new URL(request.url);
  const groups = contents.map(
    ({ title, guides }) =>
      `## ${title}\n\n${guides.map((guide) => `- [${guide.title}](${origin}/docs/markdown/${guide.name}): ${firstSentence(guide.name)}`).join("\n")}\n`,
  );
  const text = `# Holdfast\n\n> A TypeScript and React framework for page-based web applications, with the error-reporting service built in.\n\n${groups.join("\n")}`;
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

function firstSentence(name: string): string {
  const [, paragraph = ""] = /^# .+\n\n([\s\S]+?)\n\n/m.exec(guideText(name) ?? "") ?? [];
  const line = paragraph.replaceAll("\n", " ");
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line;
}
