package dev.berth.cli.command;

import dev.berth.cli.client.ServerLocation;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.DoctorProcess;
import dev.berth.cli.launch.ServerJvm;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.output.text.ServerText;
import dev.berth.core.api.DoctorView;
import dev.berth.core.api.GpuView;
import dev.berth.core.command.TargetName;
import dev.berth.core.job.GpuRequest;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code berth doctor}: whether this machine could run a job with a GPU, and what mends it where it could not. */
final class Doctor implements Verb {
    private static final String TARGET = "--target";
    private static final String IMAGE = "--image";
    private static final String GPUS = "--num-gpus";

    @Override
    public Shape shape() {
        Shape shape = Shape.of(
                "doctor",
                "",
                "Look at everything that a job with a GPU needs on this machine, and name the command that mends what"
                        + " is not right.",
                "A test container is run on each GPU that no job has. The exit code is 0 if a job with a GPU could run,"
                        + " else 1. Takes the options of berth server start.");
        return ServerOptions.on(shape)
                .value(
                        "NAME",
                        "Look at this target of the server in place of the machine, and try a job there, of --image if it"
                                + " has containers; for operators.",
                        TARGET)
                .value("N", "Try a job with so many GPUs at --target, which has to see them. Default: 0.", GPUS)
                .examples(
                        "berth doctor",
                        "berth doctor --target cluster",
                        "berth doctor --target cluster --num-gpus 1",
                        "sudo berth doctor --gpu-mode cdi",
                        "berth doctor --json");
    }

    @Override
    public Reach reach() {
        return Reach.MACHINE;
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        String target = arguments.value(TARGET);
        Integer gpus = arguments.number(GPUS, 0, GpuRequest.MAX_COUNT);
        if (target != null) {
            return target(target, arguments.value(IMAGE), gpus == null ? 0 : gpus, session);
        }
        if (gpus != null) {
            throw Failure.usage(GPUS + " is of the job that is tried at a target: name one with " + TARGET
                    + "; without it each GPU of this machine is tried");
        }
        if (session.location().source() == ServerLocation.Source.URL_VARIABLE) {
            throw Failure.usage("berth doctor examines the machine it runs on; leave --url and BERTH_URL out");
        }
        List<String> words = ServerOptions.words(arguments, session);
        words.add("held=" + held(session));
        words.addAll(failing(session));
        ServerJvm jvm = ServerJvm.current(session.environment().variables().get(ServerJvm.OPTIONS_VARIABLE));
        DoctorView view = new DoctorProcess(jvm).run(words, session.output()::found);
        session.output().examined(view);
        return view.ready() ? ExitCode.OK : ExitCode.REFUSED;
    }

    private static int target(String name, @Nullable String image, int gpus, Session session) throws IOException {
        if (!TargetName.isGood(name)) {
            throw Failure.usage(
                    TARGET + ": '" + name + "' is no target's name; berth targets lists those that there are");
        }
        DoctorView view = session.client().examineTarget(name, image, gpus);
        view.findings().forEach(session.output()::found);
        session.output().examined(view);
        return view.ready() ? ExitCode.OK : ExitCode.REFUSED;
    }

    /** The background work of the server that does not succeed; where no server answers, there is none. */
    private static List<String> failing(Session session) {
        try {
            return session.client().server().failingTasks().stream()
                    .map(failing -> "failing="
                            + ServerText.sentence(
                                    failing, session.environment().time().instant()))
                    .toList();
        } catch (IOException | Failure away) {
            session.trace("the server's background work is not known: " + away.getMessage());
            return List.of();
        }
    }

    /** The GPUs that jobs have; where no server answers, none has any. */
    private static String held(Session session) {
        StringBuilder held = new StringBuilder();
        try {
            for (GpuView gpu : session.client().gpus().gpus()) {
                if (!gpu.holders().isEmpty()) {
                    held.append(held.isEmpty() ? "" : ",").append(gpu.uuid());
                }
            }
        } catch (IOException | Failure away) {
            // A server that is in trouble is no reason not to look.
            session.trace("the GPUs in use are not known: " + away.getMessage());
        }
        return held.toString();
    }
}
