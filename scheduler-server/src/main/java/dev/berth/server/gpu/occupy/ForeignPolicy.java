package dev.berth.server.gpu.occupy;

import dev.berth.server.gpu.GpuProcess;
import dev.berth.server.gpu.GpuProcess.Kind;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The policy for which of other people's processes keep a GPU from being allocated. */
public sealed interface ForeignPolicy {
    /** The texts that {@link #parse} takes, for people. */
    String RULE = "any-process, memory: and a number of MiB such as memory:300, ignore-graphics, or off";

    /** Any that computes, as for safe-gpu; what only draws does not count. */
    record AnyProcess() implements ForeignPolicy {}

    /**
     * Any that holds this much of the GPU's memory, whatever it does there; one of which the driver does not tell how
     * much it holds counts where it computes.
     */
    record Memory(long mebibytes) implements ForeignPolicy {}

    /** Any that computes and does nothing else, so that no desktop counts. */
    record IgnoreGraphics() implements ForeignPolicy {}

    /** None; nobody looks. */
    record Off() implements ForeignPolicy {}

    Pattern MEMORY = Pattern.compile("memory:([1-9][0-9]{0,6})");

    /** The policy of this text. */
    static Optional<ForeignPolicy> parse(String text) {
        Matcher memory = MEMORY.matcher(text);
        if (memory.matches()) {
            return Optional.of(new Memory(Long.parseLong(memory.group(1))));
        }
        return switch (text) {
            case "any-process" -> Optional.of(new AnyProcess());
            case "ignore-graphics" -> Optional.of(new IgnoreGraphics());
            case "off" -> Optional.of(new Off());
            default -> Optional.empty();
        };
    }

    /** Whether a foreign process keeps a GPU from being allocated. */
    default boolean blocks(GpuProcess process) {
        Long bytes = process.memoryBytes();
        return switch (this) {
            case AnyProcess() -> process.kind() != Kind.GRAPHICS;
            case Memory(long mebibytes) -> bytes == null ? process.kind() != Kind.GRAPHICS : bytes >= mebibytes << 20;
            case IgnoreGraphics() -> process.kind() == Kind.COMPUTE;
            case Off() -> false;
        };
    }
}
