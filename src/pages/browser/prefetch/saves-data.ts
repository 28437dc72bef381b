/**
 * Whether the visitor saves data or has a slow connection. `navigator.connection` is not in the DOM types, nor in every
 * browser.
 */
export function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData: boolean; effectiveType: string } };
  return !!connection && (connection.saveData || /2g/.test(connection.effectiveType));
}
