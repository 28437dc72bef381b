import { HoldfastError } from "#errors";

/** Errors in the names of page files. */
export const routeErrors = {
  twoFilesForOnePath: (path: string, first: string, second: string): HoldfastError =>
    new HoldfastError(
      "two-files-for-one-path",
      `Both src/pages/${first} and src/pages/${second} answer ${path}.`,
      "Rename or remove one of them.",
    ),

  twoFilesForOneRole: (role: string, first: string, second: string): HoldfastError =>
    new HoldfastError(
      "two-files-for-one-role",
      `Both src/pages/${first} and src/pages/${second} are the ${role} of the same folder.`,
      "Keep one of them.",
    ),

  unknownSpecialFile: (file: string): HoldfastError =>
    new HoldfastError(
      "unknown-special-file",
      `src/pages/${file} begins with "_" but is none of the special files.`,
      'Special files are _layout.tsx, _layout.server.ts, _error.tsx, _not-found.tsx and _loading.tsx; put other code into a folder that begins with "_".',
    ),

  misspelledName: (file: string, piece: string): HoldfastError =>
    new HoldfastError(
      "misspelled-page-name",
      `src/pages/${file} has the part "${piece}", which is neither a plain name nor [param], [...rest] or a (group) folder.`,
      "Write a parameter as [name] with letters, digits, - and _, beginning with a letter, as the whole of a name between two slashes.",
    ),

  restNotLast: (file: string): HoldfastError =>
    new HoldfastError(
      "rest-not-last",
      `src/pages/${file} has something after [...rest].`,
      "[...rest] takes all that is left: make it the last part.",
    ),

  parameterTwice: (file: string, name: string): HoldfastError =>
    new HoldfastError(
      "parameter-twice",
      `src/pages/${file} names the parameter "${name}" twice.`,
      "Give each parameter of a path its own name.",
    ),
} as const;
