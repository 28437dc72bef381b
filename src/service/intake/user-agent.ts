export interface AgentBrowser {
  readonly name: string;
  readonly version: number;
}

/** In this order: every one of them also names those after it. */
const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ["Opera", /\bOPR\/(\d+)/],
  ["Samsung Internet", /\bSamsungBrowser\/(\d+)/],
  ["Firefox", /\b(?:Firefox|FxiOS)\/(\d+)/],
  ["Chrome", /\b(?:Chrome|CriOS)\/(\d+)/],
  ["Safari", /\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//],
  ["Internet Explorer", /\b(?:MSIE |Trident\/[\d.]+;.{0,80} rv:)(\d+)/],
];

/** More than any browser sends. */
const longestAgent = 500;

export const browserNames: readonly string[] = browsers.map(([name]) => name);

/** Returns undefined for an agent that is no known browser. */
export function browserOfAgent(agent: string): AgentBrowser | undefined {
  const text = agent.slice(0, longestAgent);
  for (const [name, pattern] of browsers) {
    const version = pattern.exec(text)?.[1];
    if (version !== undefined) return { name, version: Number(version) };
  }
  return undefined;
}

/** Programs that name themselves as such. The list of pages is separate: there it decides what is sent. */
const robots =
  /bot\b|crawl|spider|slurp|facebookexternalhit|embedly|lighthouse|headlesschrome|phantomjs|python-requests|curl\//i;

export function isRobot(agent: string): boolean {
  return robots.test(agent.slice(0, longestAgent));
}
