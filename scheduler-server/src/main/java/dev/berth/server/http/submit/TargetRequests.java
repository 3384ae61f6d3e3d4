package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.api.TargetView;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.job.GpuRequest;
import dev.berth.core.job.GpuTraits;
import dev.berth.core.job.Guarantee;
import dev.berth.core.job.Job;
import dev.berth.core.job.JobSpec;
import dev.berth.core.job.JobState.HandedOver;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.job.Place;
import dev.berth.core.job.Place.AtTarget;
import dev.berth.core.job.Place.InContainer;
import dev.berth.core.job.Program;
import dev.berth.core.job.PullPolicy;
import dev.berth.core.job.Resources;
import dev.berth.core.job.Submitter;
import dev.berth.core.job.TrackSources;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.runner.target.Snapshot;
import dev.berth.server.runner.target.TargetDirectory;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import dev.berth.server.runner.target.Targets.Target;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The differences of a request for a job that goes to a target beyond this machine. */
public record TargetRequests(TargetDirectory targets) {
    private static final int MAX_CPU_MILLI = 10_000_000;
    private static final long MAX_MEMORY = 1L << 50;
    private static final long MIN_MEMORY = 1L << 20;

    /** What no target has, and why not. */
    private static final Map<JobOption, String> REFUSED = refused();

    /** What some targets have, and what it is to those that have not. */
    private static final Map<JobOption, Needed> NEEDED = needed();

    /**
     * What an option takes.
     *
     * @param why it is refused without that, going on from "it"
     */
    private record Needed(Ability ability, String why) {}

    private static Map<JobOption, Needed> needed() {
        Map<JobOption, Needed> all = new EnumMap<>(JobOption.class);
        all.put(
                JobOption.SIGNAL,
                new Needed(
                        Ability.SIGNALS,
                        "is a signal before the time limit, and a program gets none there but TERM at its end; write"
                                + " the checkpoint on TERM, with a longer --grace"));
        all.put(
                JobOption.IMAGE,
                new Needed(Ability.CONTAINERS, "is of containers, and programs run on its nodes as they are"));
        all.put(
                JobOption.WORKING_DIRECTORY,
                new Needed(
                        Ability.WORKING_DIRECTORY,
                        "is a directory of containers that have their own, and programs begin in the one that is"
                                + " submitted"));
        all.put(
                JobOption.GRACE,
                new Needed(Ability.GRACE, "is the time from TERM to KILL, which is the same for all of its jobs"));
        return all;
    }

    private static Map<JobOption, String> refused() {
        Map<JobOption, String> rules = new EnumMap<>(JobOption.class);
        rules.put(JobOption.VOLUMES, "mounts paths of this machine, and a target has others");
        rules.put(JobOption.NETWORK, "is of containers of this machine; a target's engine has its own");
        rules.put(JobOption.SHM, "is of containers of this machine; a target's engine decides it");
        rules.put(JobOption.PULL, "is of images of this machine; a target's nodes pull what they do not have");
        rules.put(JobOption.GPU_MEMORY, "is of GPUs of this machine; name a kind of GPU instead (--gpu-type)");
        rules.put(JobOption.IDLE, "needs a look at the GPUs, which Berth does not have at a target");
        rules.put(JobOption.NICE, "is of this machine's CPUs");
        rules.put(JobOption.CPU_GUARANTEE, "is of this machine's CPUs; a target sets aside what --cpus asks for");
        rules.put(
                JobOption.MEMORY_GUARANTEE, "is of this machine's memory; a target sets aside what --memory asks for");
        rules.put(JobOption.PACK, "makes tasks share a container of this machine");
        return rules;
    }

    /** Whether no target has an option. */
    static boolean isRefused(JobOption option) {
        return REFUSED.containsKey(option);
    }

    /** Whether such an engine does not have an option. */
    static boolean lacks(JobOption option, Abilities engine) {
        Needed needed = NEEDED.get(option);
        return isRefused(option) || (needed != null && !engine.has(needed.ability()));
    }

    /** The target that a request names; null where it is for this machine. */
    @Nullable
    Target of(@Nullable String name, Caller caller) {
        if (name == null || name.equals(TargetView.SCHEDULER)) {
            return null;
        }
        Target target = targets.find(name).orElseThrow(() -> unknown(name));
        if (!caller.isAdministrator() && !targets.mayUse(name, caller.user())) {
            throw ApiException.of(
                    403,
                    "TARGET_CLOSED",
                    "target " + name + " is not open to " + caller.name()
                            + "; its operator names who may submit there (targets." + name + ".users)");
        }
        return target;
    }

    private ApiException unknown(String name) {
        return ApiException.field(
                "target",
                PrintableText.of(name),
                "is no target of this server" + ClosestWord.question(name, targets.names())
                        + " berth targets lists them, " + TargetView.SCHEDULER + " is this machine's own queue");
    }

    /** Throws where something is asked for that the target does not have. */
    static void check(SubmitRequest request, Target target) {
        Abilities abilities = target.engine().abilities();
        String where = "is not for target " + target.settings().name() + " (" + abilities.kind() + "): it ";
        if (request.host()) {
            throw ApiException.field("host", "", "is for programs of this machine alone; leave the target out");
        }
        if (request.gpuMilli() != null) {
            throw ApiException.field(
                    "gpuMilli",
                    String.valueOf(request.gpuMilli()),
                    where + "asks for a share of a GPU; ask for whole ones");
        }
        OptionValues asked = request.options();
        REFUSED.forEach((option, why) -> {
            if (asked.has(option)) {
                throw ApiException.field(option.field(), shown(asked, option), where + why + "; leave it out");
            }
        });
        if (!asked.texts(JobOption.TRACK).stream().map(String::valueOf).allMatch(TargetRequests::isPrinted)) {
            throw ApiException.field(
                    JobOption.TRACK.field(),
                    shown(asked, JobOption.TRACK),
                    where
                            + (abilities.has(Ability.OUTPUTS)
                                    ? "has the files that it names only once the program has ended"
                                    : "brings no files of programs here, as it is set up")
                            + "; take --track stdout, or let the program write to $BERTH_TRACK");
        }
        NEEDED.forEach((option, needed) -> {
            if (asked.has(option) && !abilities.has(needed.ability())) {
                throw ApiException.field(option.field(), shown(asked, option), where + needed.why() + "; leave it out");
            }
        });
        if (abilities.has(Ability.CONTAINERS) && !asked.has(JobOption.IMAGE)) {
            throw ApiException.field(
                    JobOption.IMAGE.field(),
                    "",
                    "must name an image that target " + target.settings().name()
                            + " can pull: those of this machine are not there; give --image");
        }
    }

    /** Whether these sources of metrics are there at a target, too. What are none, is said where they are read. */
    private static boolean isPrinted(String sources) {
        try {
            TrackSources parsed = TrackSources.parse(sources);
            return parsed.equals(parsed.printed());
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private static String shown(OptionValues asked, JobOption option) {
        return PrintableText.of(asked.shown(option.field()));
    }

    /** Throws where a job waits in the queue of a target's engine, which sets none aside. */
    public void requireHolds(Job job) {
        Target target = targets.find(String.valueOf(job.spec().target())).orElse(null);
        if (job.state() instanceof HandedOver
                && target != null
                && !target.engine().abilities().has(Ability.HOLDS)) {
            throw ApiException.of(
                    409,
                    "TARGET_CANNOT_HOLD",
                    "job " + job.number() + " is in the queue of target "
                            + job.spec().target() + " ("
                            + target.engine().abilities().kind()
                            + "), which sets no job aside; berth cancel " + job.number() + " takes it out");
        }
    }

    /** Throws where the target's engine would not take such a job. */
    static void requireTaken(
            JobSpec spec, Program program, Submitter owner, Target target, Optional<Snapshot> directory) {
        target.engine().refusal(spec, program, owner, directory).ifPresent(sentence -> {
            throw ApiException.of(
                    409,
                    "TARGET_REFUSES",
                    "not accepted, as target " + target.settings().name() + " would refuse it: " + sentence);
        });
    }

    /** The place of a job that is handed over. */
    static Place place(Target target, InContainer container, NodeTraits nodes) {
        Abilities abilities = target.engine().abilities();
        boolean hasImage = abilities.has(Ability.CONTAINERS);
        return new AtTarget(
                target.settings().name(),
                new InContainer(
                        container.snapshot(),
                        hasImage ? container.image() : AtTarget.NODE,
                        PullPolicy.MISSING,
                        container.workingDirectory(),
                        null,
                        container.network(),
                        container.mounts(),
                        container.sources()),
                abilities.has(Ability.NODE_TRAITS) ? nodes : NodeTraits.ANY);
    }

    /** What is asked for, which the target's engine may have and this machine may not. */
    static Resources resources(OptionValues asked, GpuRequest gpus, GpuTraits traits) {
        Integer cpus = asked.get(JobOption.CPUS, Integer.class);
        Long memory = asked.get(JobOption.MEMORY, Long.class);
        if (cpus != null && (cpus < 1 || cpus > MAX_CPU_MILLI)) {
            throw ApiException.field(
                    JobOption.CPUS.field(),
                    cpus.toString(),
                    "must be from 1 to " + MAX_CPU_MILLI + " thousandths of a CPU");
        }
        if (memory != null && (memory < MIN_MEMORY || memory > MAX_MEMORY)) {
            throw ApiException.field(
                    JobOption.MEMORY.field(),
                    memory.toString(),
                    "must be from " + MIN_MEMORY + " to " + MAX_MEMORY + " bytes");
        }
        return new Resources(gpus, traits, cpus, memory, 0, Guarantee.OF_LIMITS);
    }
}
