package dev.berth.server.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import dev.berth.core.parameter.Parameters;
import dev.berth.core.parameter.ParametersJson;
import dev.berth.core.parameter.SweepOptions;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written is read as it was: else a job that was accepted could never start. */
class ParametersReaderTest {
    private static Parameters read(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return ParametersReader.read(parser);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a=1,2,x,true,null,1e-3,0.10,-0",
                "a=1..1000000",
                "a=-5..5:0.125",
                "a=1e38..1e39:1e38",
                "a=0..1:1e-5",
                "a=99999999999999999999..99999999999999999999",
                "a=\"\\\\,\u0001\u00e9\ud83d\ude80",
                "a=11111111111111111111111111111111111111111111111111111111111111111111111111111111"
            })
    void whatIsWrittenIsReadAsItWas(String axis) throws IOException {
        Parameters parameters = SweepOptions.of(List.of(axis), List.of(), null, null);
        assertThat(read(ParametersJson.of(parameters))).isEqualTo(parameters);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"constants\":{},\"factors\":[{\"names\":[\"a\"],\"rows\":[[[0.10,1e-08,[1e400]]]]}]}]",
                "[{\"constants\":{\"b\":{\"c\":[1.50,{}]}},\"factors\":[]}]"
            })
    void numbersKeepTheirTextAtEveryDepth(String json) throws IOException {
        assertThat(ParametersJson.of(read(json))).isEqualTo(json);
    }
}
