package dev.berth.server.http.submit;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.SubmitRequest;
import dev.berth.core.job.NodeTraits;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.profile.Profile;
import dev.berth.server.runner.target.TargetEngine.Abilities;
import dev.berth.server.runner.target.TargetEngine.Ability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request, filled up from the profile that it names. What the request says counts; of the variables, one by one.
 *
 * @param asked as it came
 * @param request as it counts
 * @param profile null for none
 * @param nodes those of a target that will do, as the profile says
 * @param unused what of the profile means nothing where the job goes
 */
public record Profiled(
        SubmitRequest asked,
        SubmitRequest request,
        @Nullable Profile profile,
        NodeTraits nodes,
        List<String> unused) {
    static Profiled none(SubmitRequest asked) {
        return new Profiled(asked, asked, null, NodeTraits.ANY, List.of());
    }

    static Profiled of(SubmitRequest asked, Profile profile) {
        Map<String, @Nullable Object> values =
                new LinkedHashMap<>(profile.values().values());
        if (asked.gpuMilli() != null) {
            values.remove(JobOption.GPUS.field());
        }
        // A guarantee belongs to its limit: who asks for another limit has that kept for them.
        for (Map.Entry<JobOption, JobOption> pair : Map.of(
                        JobOption.CPUS, JobOption.CPU_GUARANTEE, JobOption.MEMORY, JobOption.MEMORY_GUARANTEE)
                .entrySet()) {
            if (asked.options().has(pair.getKey())) {
                values.remove(pair.getValue().field());
            }
        }
        Long memory = asked.options().get(JobOption.MEMORY, Long.class);
        Long shm = profile.values().get(JobOption.SHM, Long.class);
        if (memory != null && memory > 0 && shm != null) {
            // It counts as the job's memory, of which who asks for less has less.
            values.put(JobOption.SHM.field(), Math.min(shm, memory));
        }
        values.putAll(asked.options().values());
        values.put(JobOption.ENVIRONMENT.field(), environment(profile.values(), asked.options()));
        return new Profiled(asked, asked.with(new OptionValues(values)), profile, profile.nodes(), profile.unused());
    }

    /** The same of a job for such an engine. What the profile alone says, and the engine does not have, is no matter there. */
    Profiled at(Abilities engine) {
        Map<String, @Nullable Object> values =
                new LinkedHashMap<>(request.options().values());
        List<String> nothing = new ArrayList<>(unused);
        for (JobOption option : JobOption.values()) {
            if (isOfProfile(option) && TargetRequests.lacks(option, engine)) {
                values.remove(option.field());
                nothing.add(option.field());
            }
        }
        if (engine.has(Ability.NODE_TRAITS)) {
            nothing.removeAll(Profile.OF_NODES);
            String product = nodes.labels().get(Profile.GPU_LABEL);
            if (product != null
                    && isOfProfile(JobOption.GPU_TYPE)
                    && product.equals(values.get(JobOption.GPU_TYPE.field()))) {
                // The label says it there.
                values.remove(JobOption.GPU_TYPE.field());
            }
        }
        // Who asks for a kind of GPU has that one.
        NodeTraits wanted = isAsked(JobOption.GPU_TYPE) ? nodes.without(Profile.GPU_LABEL) : nodes;
        return new Profiled(asked, asked.with(new OptionValues(values)), profile, wanted, nothing);
    }

    private static Map<String, String> environment(OptionValues profile, OptionValues asked) {
        Map<String, String> variables = new LinkedHashMap<>(variables(profile));
        variables.putAll(variables(asked));
        return variables;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> variables(OptionValues values) {
        Map<String, String> variables = values.get(JobOption.ENVIRONMENT, Map.class);
        return variables == null ? Map.of() : variables;
    }

    /** Whether the value of an option, which is no variable, is the profile's. */
    boolean isOfProfile(JobOption option) {
        return profile != null && !isAsked(option) && request.options().has(option);
    }

    /** Whether the request itself says the value of an option, which is no variable. */
    boolean isAsked(JobOption option) {
        return asked.options().has(option) || (option == JobOption.GPUS && asked.gpuMilli() != null);
    }

    Map<String, String> askedVariables() {
        return variables(asked.options());
    }

    Map<String, String> profileVariables() {
        return profile == null ? Map.of() : variables(profile.values());
    }

    /** Does what may refuse the request. A refusal of what the profile said names the profile. */
    public <T> T retelling(Supplier<T> check) {
        try {
            return check.get();
        } catch (ApiException refused) {
            throw retold(refused);
        }
    }

    private ApiException retold(ApiException refused) {
        String field = refused.error().details().get("field");
        String value = refused.error().details().get("value");
        String rule = refused.error().details().get("rule");
        List<JobOption> options = JobOption.of(field);
        if (profile == null || options.stream().noneMatch(this::isOfProfile) || field == null) {
            return refused;
        }
        return ApiException.field(
                JobOption.PROFILE.field(),
                profile.name(),
                "sets " + field + " to '" + value + "', which " + rule + "; give " + longName(options.getFirst())
                        + " yourself, or take another profile");
    }

    private static String longName(JobOption option) {
        return option.names().stream()
                .filter(name -> name.startsWith("--"))
                .findFirst()
                .orElseThrow();
    }
}
