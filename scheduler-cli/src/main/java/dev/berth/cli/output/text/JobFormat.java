package dev.berth.cli.output.text;

import dev.berth.cli.exit.Failure;
import dev.berth.cli.output.Screen;
import dev.berth.core.api.JobView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A template for jobs, of the form of Docker's: {@code {{.ID}} {{.State}}}, or {@code table {{.ID}}\t{{.State}}} for a
 * table with headings. {@code \t} and {@code \n} are a tabulator and a line's end.
 */
public final class JobFormat {
    /** The field that lists leave out, so that each job is asked for by itself. */
    private static final String COMMAND = "Command";

    /** The fields that a template may name. */
    public static final List<String> FIELDS = List.of(
            "ID",
            "Array",
            "Task",
            "Tasks",
            "Params",
            "Name",
            "User",
            "Project",
            "State",
            "Reason",
            "Why",
            "Progress",
            "Target",
            "Place",
            "GPUs",
            "GPUIndices",
            "GPUUUIDs",
            "Time",
            COMMAND,
            "Image",
            "Tags",
            "Attempt",
            "ExitCode",
            "Submitted",
            "Started",
            "Ended",
            "Output",
            "Utilisation",
            "PeakMemory",
            "GPUHours",
            "CPUHours",
            "HostMemory");

    /** Stands before the name of what jobs told; no field begins with it. */
    private static final String TOLD = "=";

    private static final String TABLE = "table ";
    private static final String OPEN = "{{";
    private static final String CLOSE = "}}";

    /** Texts and fields in turns, beginning and ending with a text. */
    private final List<String> parts;

    private final boolean table;

    private JobFormat(List<String> parts, boolean table) {
        this.parts = parts;
        this.table = table;
    }

    /** A template whose fields are known. */
    public static JobFormat of(String template) {
        boolean table = template.startsWith(TABLE);
        return new JobFormat(parts(table ? template.substring(TABLE.length()) : template), table);
    }

    /** A table of these columns: fields, in whatever letters, and names of what jobs told. */
    public static JobFormat ofColumns(List<String> columns) {
        List<String> parts = new ArrayList<>();
        for (String column : columns) {
            String field = field(column);
            parts.add(parts.isEmpty() ? "" : "\t");
            parts.add(field == null ? TOLD + column : field);
        }
        parts.add("");
        return new JobFormat(parts, true);
    }

    /** Those of some columns that are no fields. */
    public static List<String> told(List<String> columns) {
        List<String> told = new ArrayList<>();
        for (String column : columns) {
            if (field(column) == null) {
                told.add(column);
            }
        }
        return told;
    }

    private static @Nullable String field(String column) {
        for (String field : FIELDS) {
            if (field.equalsIgnoreCase(column)) {
                return field;
            }
        }
        return null;
    }

    /** The fields that a template names, known or not. */
    public static List<String> named(String template) {
        List<String> parts = parts(template);
        List<String> fields = new ArrayList<>();
        for (int at = 1; at < parts.size(); at += 2) {
            fields.add(parts.get(at));
        }
        return fields;
    }

    private static List<String> parts(String template) {
        List<String> parts = new ArrayList<>();
        int from = 0;
        for (int open = template.indexOf(OPEN); open >= 0; open = template.indexOf(OPEN, from)) {
            int close = template.indexOf(CLOSE, open);
            String field = close < 0
                    ? ""
                    : template.substring(open + OPEN.length(), close).strip();
            if (field.length() < 2 || field.charAt(0) != '.') {
                throw Failure.usage(
                        "--format: '" + template
                                + "' has {{ without a field behind it; write fields as {{.ID}}, for example '{{.ID}} {{.State}}'");
            }
            parts.add(unescaped(template.substring(from, open)));
            parts.add(field.substring(1));
            from = close + CLOSE.length();
        }
        if (parts.isEmpty()) {
            throw Failure.usage("--format: '" + template + "' names no field; for example '{{.ID}} {{.State}}'");
        }
        parts.add(unescaped(template.substring(from)));
        return parts;
    }

    private static String unescaped(String text) {
        return text.replace("\\t", "\t").replace("\\n", "\n");
    }

    /** Whether it shows what stands in no list, but with a job that is asked for by its number. */
    public boolean isOfWholeJobs() {
        return parts.contains(COMMAND);
    }

    /** Prints the jobs, a line each. */
    public void print(List<JobView> jobs, Screen screen, Instant now) {
        if (table) {
            printTable(jobs, screen, now);
            return;
        }
        for (JobView job : jobs) {
            StringBuilder line = new StringBuilder();
            for (int at = 0; at < parts.size(); at++) {
                line.append(at % 2 == 0 ? parts.get(at) : PlainText.of(value(parts.get(at), job, now)));
            }
            screen.line(line.toString());
        }
    }

    /** Tabulators begin columns. */
    private void printTable(List<JobView> jobs, Screen screen, Instant now) {
        Table rows = new Table(cells(null, now));
        for (JobView job : jobs) {
            rows.row(cells(job, now));
        }
        for (String line : rows.lines(screen.columns())) {
            screen.line(line);
        }
    }

    /** A row, or the headings where there is no job. */
    private String[] cells(@Nullable JobView job, Instant now) {
        List<StringBuilder> cells = new ArrayList<>(List.of(new StringBuilder()));
        for (int at = 0; at < parts.size(); at++) {
            if (at % 2 == 1) {
                String field = parts.get(at);
                cells.getLast().append(job == null ? heading(field) : value(field, job, now));
                continue;
            }
            String[] texts = parts.get(at).split("\t", -1);
            cells.getLast().append(texts[0]);
            for (int next = 1; next < texts.length; next++) {
                cells.add(new StringBuilder(texts[next]));
            }
        }
        String[] row = new String[cells.size()];
        for (int column = 0; column < row.length; column++) {
            row[column] = cells.get(column).toString();
        }
        return row;
    }

    private static String heading(String field) {
        return field.startsWith(TOLD) ? field.substring(TOLD.length()) : field.toUpperCase(Locale.ROOT);
    }

    private static String value(String field, JobView job, Instant now) {
        if (field.startsWith(TOLD)) {
            Map<String, String> values = job.values();
            String told = values == null ? null : values.get(field.substring(TOLD.length()));
            return told == null ? JobText.NOTHING : Figures.shortened(told);
        }
        return switch (field) {
            case "ID" -> job.number();
            case "Array" -> shown(job.tasks() == null ? job.arrayId() : (Long) job.id());
            case "Task" -> shown(job.taskIndex());
            case "Tasks" -> job.tasks() == null ? "" : TasksText.counts(job.tasks());
            case "Params" -> JobText.parameters(job);
            case "Name" -> job.name();
            case "User" -> job.user();
            case "Project" -> job.project();
            case "State" -> job.state();
            case "Reason" -> shown(job.reason());
            case "Why" -> job.sentence();
            case "Progress" -> job.progress() == null ? "" : ProgressText.brief(job.progress(), now);
            case "Target" -> shown(job.target());
            case "Place" -> shown(job.position());
            case "GPUs" -> Amounts.thousandths(job.gpuMilli());
            case "GPUIndices" -> joined(job.gpuIndices());
            case "GPUUUIDs" -> joined(job.gpuUuids());
            case "Time" -> JobText.time(job, now);
            case COMMAND -> JobText.command(job);
            case "Image" -> job.image();
            case "Tags" -> joined(job.options().texts("tags"));
            case "Attempt" -> Integer.toString(job.attempt());
            case "ExitCode" -> shown(job.exitCode());
            case "Submitted" -> job.submittedAt();
            case "Started" -> shown(job.startedAt());
            case "Ended" -> shown(job.endedAt());
            case "Output" -> job.outputDirectory();
            case "Utilisation" -> shown(job.usage() == null ? null : job.usage().meanUtilisationPercent());
            case "PeakMemory" -> shown(job.usage() == null ? null : job.usage().peakMemoryMiB());
            case "GPUHours" -> job.usage() == null ? "" : UsageText.hours(job.usage());
            case "CPUHours" -> job.machineUsage() == null ? "" : UsageText.hours(job.machineUsage());
            case "HostMemory" ->
                shown(job.machineUsage() == null ? null : job.machineUsage().peakMemoryMiB());
            default -> throw new IllegalArgumentException("no field " + field);
        };
    }

    private static String shown(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static String joined(List<?> values) {
        StringBuilder text = new StringBuilder();
        for (Object value : values) {
            text.append(text.isEmpty() ? "" : ",").append(value);
        }
        return text.toString();
    }
}
