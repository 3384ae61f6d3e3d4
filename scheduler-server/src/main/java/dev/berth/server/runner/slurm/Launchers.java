package dev.berth.server.runner.slurm;

import dev.berth.server.runner.slurm.SlurmSettings.Container;
import dev.berth.server.runner.slurm.SlurmSettings.Launcher;
import java.util.regex.Pattern;

/**
 * The ends of batch scripts: what starts the program, which is {@code "$@"}, in its surroundings. They run in the directory of the
 * program with its environment; {@code $BERTH_DIRECTORY} is the job's directory. One that cannot start the program notes a
 * {@linkplain SlurmEnds#told word} for why in the file {@code unstarted} there, and ends with 125.
 */
final class Launchers {
    private static final Pattern SCHEME = Pattern.compile("[a-z][a-z0-9+.-]*://.*");
    private static final Pattern REGISTRY = Pattern.compile("(localhost|[^/]*[.:][^/]*)/(.*)");

    private static final String NONE = "exec \"$@\"\n";

    /** A path needs no registry to be found wrong. What cannot be pulled Apptainer and Pyxis alone know, with codes of programs. */
    private static final String FILE = """
            case $BERTH_IMAGE in
              /*)
                if ! [ -e "$BERTH_IMAGE" ]; then
                  echo "berth: there is no image $BERTH_IMAGE on $(uname -n)" >&2
                  echo file > "$BERTH_DIRECTORY/unstarted"
                  exit 125
                fi ;;
            esac
            """;

    private static final String APPTAINER = FILE + """
            if [ "$BERTH_NUM_GPUS" = 0 ]; then gpus=; else gpus=--nv; fi
            exec apptainer exec $gpus --bind "$BERTH_DIRECTORY" --pwd "$PWD" -- "$BERTH_IMAGE" "$@"
            """;

    /** The variables of a job script that asks for none of the submitter's go no further by themselves (sbatch(1), "--export"). */
    private static final String PYXIS = FILE + """
            exec srun --ntasks=1 --export=ALL --container-image="$BERTH_IMAGE" --container-mounts="$BERTH_DIRECTORY:$BERTH_DIRECTORY" \\
              --container-workdir="$PWD" --no-container-mount-home -- "$@"
            """;

    /**
     * The container is none of Slurm's processes: Slurm ends this script, which has to end the container before it is killed itself
     * ({@code KillWait} after TERM). Signals to a job reach Docker's own programs in it, too, which would end by some of them. GPUs go by
     * the numbers of the machine, for those in {@code CUDA_VISIBLE_DEVICES} may be the job's own.
     */
    private static final String DOCKER = """
            name=slurm-$SLURM_JOB_ID-$BERTH_NAME
            remove() { docker rm -f "$name" > /dev/null 2>&1; }
            refused() {
              echo "berth: Docker on $(uname -n) could not start a container of image $BERTH_IMAGE; why, it says above" >&2
              why=container
              if docker version > /dev/null 2>&1 && ! docker image inspect "$BERTH_IMAGE" > /dev/null 2>&1; then why=image; fi
              echo "$why" > "$BERTH_DIRECTORY/unstarted"
              exit 125
            }
            stopped() {
              left=$(timeout 2 scontrol show config 2> /dev/null | awk '$1 == "KillWait" { print $3 }')
              docker stop -t "$((${left:-0} > 10 ? left - 5 : 3))" "$name" > /dev/null 2>&1
              remove
              exit 143
            }
            follow() { trap '' HUP INT; exec docker "$@"; }
            trap stopped TERM INT
            trap remove EXIT
            for signal in HUP QUIT USR1 USR2 ALRM CONT WINCH; do
              trap 'docker kill --signal='"$signal"' "$name" > /dev/null 2>&1' "$signal"
            done
            mkdir -p "$BERTH_DIRECTORY/home"
            export HOME="$BERTH_DIRECTORY/home" NVIDIA_VISIBLE_DEVICES="${SLURM_JOB_GPUS:-void}"
            set -- "$BERTH_IMAGE" "$@"
            if [ -n "$SLURM_JOB_GPUS" ]; then set -- --gpus "\\"device=$SLURM_JOB_GPUS\\"" "$@"; fi
            unset CUDA_VISIBLE_DEVICES
            for variable in $BERTH_VARIABLES HOME NVIDIA_VISIBLE_DEVICES; do set -- -e "$variable" "$@"; done
            docker create --name "$name" --label "slurm.job=$SLURM_JOB_ID" --init --user "$(id -u):$(id -g)" --cap-drop ALL \\
              --security-opt no-new-privileges -v "$BERTH_DIRECTORY:$BERTH_DIRECTORY" -w "$PWD" "$@" > /dev/null || refused
            docker start "$name" > /dev/null || refused
            follow logs -f "$name" &
            logs=$!
            follow wait "$name" > "$BERTH_DIRECTORY/waited" &
            waiting=$!
            while ! wait "$waiting" && kill -0 "$waiting" 2> /dev/null; do :; done
            wait "$logs"
            read -r code < "$BERTH_DIRECTORY/waited" || code=$(docker wait "$name") || code=125
            exit "$code"
            """;

    private Launchers() {}

    /** The script of a launcher. */
    static String script(Launcher launcher) {
        if (launcher.template() != null) {
            return launcher.template() + "\n";
        }
        return switch (launcher.container()) {
            case NONE -> NONE;
            case APPTAINER -> APPTAINER;
            case PYXIS -> PYXIS;
            case DOCKER -> DOCKER;
        };
    }

    /** An image as a launcher names it, of what jobs name by Docker's rules. */
    static String image(Container container, String image) {
        boolean isPlain = !image.startsWith("/") && !SCHEME.matcher(image).matches();
        return switch (container) {
            case NONE, DOCKER -> image;
            case APPTAINER -> isPlain ? "docker://" + image : image;
            // enroot(1), "import": a registry is set off by a number sign.
            case PYXIS -> isPlain ? REGISTRY.matcher(image).replaceFirst("$1#$2") : image;
        };
    }
}
