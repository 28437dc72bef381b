import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Projects } from "../projects.ts";
import { dataFolderOf } from "./command.ts";

describe("the folder of a command", () => {
  it("the folder of a command is the named one, of a standalone service as well as of an application", async () => {
    const [alone, application] = [emptyFolder(), emptyFolder()];
    await Projects.open(alone);
    await Projects.open(join(application, "data"));
    expect(dataFolderOf({ data: alone }, {})).toBe(alone);
    expect(dataFolderOf({ data: application }, {})).toBe(join(application, "data"));
    expect(dataFolderOf({ data: join(application, "data") }, {})).toBe(join(application, "data"));
  });

  it("the folder of a command is otherwise that of the environment, and finally the application's own", async () => {
    const application = emptyFolder();
    await Projects.open(join(application, "data"));
    expect(dataFolderOf({}, { HOLDFAST_DATA: application })).toBe(join(application, "data"));
    expect(dataFolderOf({ data: "elsewhere" }, { HOLDFAST_DATA: application })).toBe("elsewhere");
    expect(dataFolderOf({}, {})).toBe(join(".holdfast", "data"));
  });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
