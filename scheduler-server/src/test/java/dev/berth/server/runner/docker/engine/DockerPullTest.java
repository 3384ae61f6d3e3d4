package dev.berth.server.runner.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.dockerjava.api.model.PullResponseItem;
import dev.berth.server.runner.docker.ContainerEngine.PullListener;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is told of a pull by the lines that the engine says. */
class DockerPullTest {
    private final List<String> told = new ArrayList<>();
    private final DockerPull pull = new DockerPull(told::add);

    private void says(String layer, String status, String detail) throws JsonProcessingException {
        String line = "{\"id\": \"%s\", \"status\": \"%s\", \"progressDetail\": {%s}}".formatted(layer, status, detail);
        pull.onNext(new ObjectMapper().readValue(line, PullResponseItem.class));
    }

    /** All of the engine's slots for downloads are taken. */
    @Test
    void layersThatAllWaitForOtherDownloadsAreToldAsThat() throws JsonProcessingException {
        says("aa", "Pulling fs layer", "");
        says("bb", "Pulling fs layer", "");
        says("aa", "Waiting", "");
        says("bb", "Waiting", "");
        assertThat(told).endsWith("being pulled", PullListener.QUEUED);
        says("aa", "Downloading", "\"current\": 2000000, \"total\": 9000000");
        assertThat(told).last().isEqualTo("being pulled, 2 of 9 MB");
        says("aa", "Pull complete", "");
        assertThat(told).last().isEqualTo(PullListener.QUEUED);
    }
}
