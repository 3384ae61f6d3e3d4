package dev.berth.core.api;

import dev.berth.core.api.TrackingView.PointView;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Points of a metric of a job, in the order in which they came.
 *
 * @param number what people call the job
 * @param count how many the metric has in all
 * @param thinned whether these are some of them that show its course
 * @param next what to ask after for those that follow; null where these are the last
 */
public record PointList(
        long id,
        String number,
        String metric,
        long count,
        boolean thinned,
        List<PointView> points,
        @Nullable Long next) {}
