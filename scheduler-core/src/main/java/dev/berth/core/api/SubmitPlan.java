package dev.berth.core.api;

import java.util.List;

/**
 * The answer to {@code POST /api/v1/jobs?dryRun=true}: the job as the server would run it; nothing was queued.
 *
 * @param settings what it would be, in the order of the documents
 * @param sentence where it would stand
 */
public record SubmitPlan(List<Setting> settings, String sentence) {
    /**
     * A value of the job.
     *
     * @param name as in the job's record
     * @param value for people; a variable's value is not shown
     * @param source {@code request}, {@code default}, {@code berth} where Berth sets it itself, {@code profile} and its
     *     name, or where in the configuration it stands
     */
    public record Setting(String name, String value, String source) {}
}
