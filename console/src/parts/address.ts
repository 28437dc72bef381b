import { usePage } from "holdfast";

/** Returns the address of this screen, or of another one, with the settings of this one changed or removed. */
export function useAddress(): (change: Readonly<Record<string, string | undefined>>, at?: string) => string {
  const { path, search } = usePage();
  return (change, at = path) => {
    const params = new URLSearchParams(search);
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) params.delete(name);
      else params.set(name, value);
    }
    return params.size > 0 ? `${at}?${params}` : at;
  };
}
