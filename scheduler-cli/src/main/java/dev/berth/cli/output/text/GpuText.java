package dev.berth.cli.output.text;

import dev.berth.core.api.GpuView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * GPUs for people, a line each in the manner of gpustat (github.com/wookayin/gpustat), and below it what keeps it from
 * being given out.
 */
public final class GpuText {
    private static final String UNKNOWN = "--";
    private static final String SEPARATOR = " | ";
    private static final int WHOLE_GPU = 1000;
    private static final int HOT_CELSIUS = 85;

    private GpuText() {}

    /**
     * The widths of the columns.
     *
     * @param columns how wide a line may be; 0 for as wide as it wants
     */
    private record Widths(int index, int name, int used, int total, int columns, boolean colour) {
        static Widths of(List<GpuView> gpus, int columns, boolean colour) {
            int index = 0;
            int name = 0;
            int used = UNKNOWN.length();
            int total = UNKNOWN.length();
            for (GpuView gpu : gpus) {
                index = Math.max(index, gpu.index().length());
                name = Math.max(name, PlainText.width(PlainText.of(model(gpu))));
                used = Math.max(used, usedMiB(gpu).length());
                total = Math.max(total, totalMiB(gpu).length());
            }
            return new Widths(index, name, used, total, columns, colour);
        }
    }

    /**
     * The lines.
     *
     * @param curves what each GPU did lately, by UUID, as it is to be shown; empty where that is not wanted
     */
    public static List<String> lines(List<GpuView> gpus, Map<String, String> curves, int columns, boolean colour) {
        Widths widths = Widths.of(gpus, columns, colour);
        List<String> lines = new ArrayList<>();
        for (GpuView gpu : gpus) {
            ColouredLine line = new ColouredLine();
            figures(line, gpu, widths);
            String curve = curves.get(gpu.uuid());
            if (curve != null) {
                line.in(Colours.GREEN, curve).plain(SEPARATOR);
            }
            occupation(line, gpu);
            lines.add(line.line(columns, colour));
            obstacles(lines, gpu, widths);
        }
        return lines;
    }

    private static void figures(ColouredLine line, GpuView gpu, Widths widths) {
        GpuView.Reading reading = gpu.reading();
        Integer celsius = reading == null ? null : reading.temperatureCelsius();
        Integer percent = reading == null ? null : reading.utilisationPercent();
        line.in(Colours.CYAN, "[" + gpu.index() + "]")
                .plain(" ".repeat(1 + widths.index - gpu.index().length()));
        line.in(Colours.BLUE, model(gpu))
                .plain(" ".repeat(Math.max(0, widths.name - PlainText.width(PlainText.of(model(gpu))))) + SEPARATOR);
        line.in(
                celsius != null && celsius >= HOT_CELSIUS ? Colours.RED : Colours.NONE,
                padded(text(celsius), 2) + " C");
        line.plain(", ")
                .in(percent == null || percent == 0 ? Colours.NONE : Colours.GREEN, padded(text(percent), 3) + " %");
        line.plain(SEPARATOR)
                .in(
                        Colours.YELLOW,
                        padded(usedMiB(gpu), widths.used) + " / " + padded(totalMiB(gpu), widths.total) + " MB");
        line.plain(SEPARATOR);
    }

    private static String model(GpuView gpu) {
        return gpu.labels().isEmpty() ? gpu.name() : gpu.name() + " (" + String.join(", ", gpu.labels()) + ")";
    }

    private static String text(@Nullable Integer number) {
        return number == null ? UNKNOWN : number.toString();
    }

    private static String usedMiB(GpuView gpu) {
        GpuView.Reading reading = gpu.reading();
        Long used = reading == null ? null : reading.memoryUsedMiB();
        return used == null ? UNKNOWN : used.toString();
    }

    private static String totalMiB(GpuView gpu) {
        return gpu.memoryMiB() == 0 ? UNKNOWN : Long.toString(gpu.memoryMiB());
    }

    private static String padded(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** The jobs, then the processes that are no holder's, then what there is to say of a GPU that has neither. */
    private static void occupation(ColouredLine line, GpuView gpu) {
        int said = 0;
        for (GpuView.Holder holder : gpu.holders()) {
            line.plain((said++ == 0 ? "" : " ") + holder.user() + ":" + holder.number() + share(holder)
                    + memory(holder.memoryMiB()));
        }
        for (GpuView.Occupant process : gpu.processes()) {
            if (!isOfHolder(gpu, process)) {
                line.plain(said++ == 0 ? "" : " ")
                        .in(
                                Colours.MAGENTA,
                                process.user() + "/" + process.pid()
                                        + (process.command().isEmpty() ? "" : " " + process.command())
                                        + memory(process.memoryMiB()));
            }
        }
        if (gpu.drain() != null) {
            line.plain(said == 0 ? "" : " ").in(Colours.RED, "drained");
        } else if (gpu.cleaning() != null) {
            line.plain(said == 0 ? "" : " ").in(Colours.CYAN, "cleaning up after job " + gpu.cleaningNumber());
        } else if (said == 0) {
            boolean free = gpu.obstacle() == null;
            line.in(free ? Colours.GREEN : Colours.RED, free ? "free" : "busy");
        }
    }

    private static boolean isOfHolder(GpuView gpu, GpuView.Occupant process) {
        Long job = process.job();
        return job != null && gpu.holders().stream().anyMatch(holder -> holder.job() == job);
    }

    private static String share(GpuView.Holder holder) {
        return holder.milli() == WHOLE_GPU ? "" : "[" + Amounts.thousandths(holder.milli()) + "]";
    }

    private static String memory(@Nullable Long mebibytes) {
        return mebibytes == null ? "" : "(" + mebibytes + "M)";
    }

    private static void obstacles(List<String> lines, GpuView gpu, Widths widths) {
        String indent = " ".repeat(widths.index + 3);
        GpuView.Drain drain = gpu.drain();
        if (drain != null) {
            lines.add(new ColouredLine()
                    .plain(indent)
                    .in(
                            Colours.RED,
                            "drained by " + drain.by() + " since " + Times.utc(drain.since())
                                    + (drain.reason().isEmpty() ? "" : ": " + drain.reason()))
                    .line(widths.columns, widths.colour));
        }
        String obstacle = gpu.obstacle();
        if (obstacle != null) {
            lines.add(new ColouredLine()
                    .plain(indent)
                    .in(Colours.RED, "not allocated: " + obstacle)
                    .line(widths.columns, widths.colour));
        }
    }
}
