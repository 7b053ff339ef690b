/**
 * Shell script with the arguments: folder, clean-up commands, program, its arguments.
 *
 * The shell becomes the program (`exec`), so signals to the child reach the program. Before that it
 * starts a guard, which reads a pipe from the Node process. A line of text means that the program
 * has ended. The end of the pipe means that the Node process has ended, by SIGKILL or otherwise.
 * Then the guard kills the program with all its descendants, including stopped ones, and removes
 * its folder.
 *
 * The guard is started by a shell that ends immediately, so it is no child of the program, which
 * would get a signal when its child ends.
 */
export const guardScript = `
processes() {
  if [ -r /proc/self/stat ]; then
    for stat in /proc/[0-9]*/stat; do
      { IFS= read -r line <"$stat"; } 2>/dev/null || continue
      pid="\${stat#/proc/}"
      set -- \${line##*) }
      echo "\${pid%/stat} $2"
    done
  else
    ps -A -o pid= -o ppid=
  fi
}
kill_children() {
  for child in $(processes | while read -r pid parent; do [ "$parent" != "$1" ] || echo "$pid"; done); do
    kill -STOP "$child"
    ( kill_children "$child" )
    kill -KILL "$child"
  done
}
guard() {
  IFS= read -r _ <&3 && return
  kill -STOP $$
  kill_children $$
  kill -KILL $$
  eval "$2"
  # A process that is being killed may still have made a file.
  for attempt in 1 2 3 4 5; do
    rm -rf -- "$1" && break
    sleep 1
  done
}
( guard "$1" "$2" >/dev/null 2>&1 & )
shift 2
exec "$@" 3<&-
`;
