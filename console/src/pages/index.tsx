/** Never shown: its data leads on to a project. */
export default function Entrance() {
  return null;
}
