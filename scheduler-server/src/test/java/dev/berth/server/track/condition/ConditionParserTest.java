package dev.berth.server.track.condition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.server.store.track.Metric;
import dev.berth.server.store.track.StoredPoint;
import dev.berth.server.store.track.ToldValues;
import dev.berth.server.store.track.ToldValues.Value;
import dev.berth.server.track.condition.ConditionParser.NoCondition;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConditionParserTest {
    private static final ToldValues TOLD = new ToldValues(
            Map.of(
                    "lr", Value.of("1e-2"),
                    "opt", Value.of("adam"),
                    "both", Value.of("7"),
                    "net.depth", Value.of("3"),
                    "my name", Value.of("x y"),
                    "and", Value.of("1"),
                    "zero", Value.of("-0.0"),
                    "sha", Value.of("5e12345"),
                    "it's", Value.of("say \"x\""),
                    "nothing", Value.of("nan")),
            Map.of(
                    "acc", metric("acc", 0.5, 0.25, 0.875),
                    "both", metric("both", 9, 8, 10),
                    "val:loss", metric("val:loss", 2, 1, 3),
                    "broken", new Metric("broken", 4, new StoredPoint(0, 0, Double.NaN), null, null)),
            Map.of("best", "", "stage", "2"));

    private static Metric metric(String name, double last, double min, double max) {
        return new Metric(name, 4, new StoredPoint(3, 0, last), new StoredPoint(1, 0, min), new StoredPoint(2, 0, max));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lr=0.01",
                "lr = 1e-2",
                "lr==0.010",
                "lr>=0.01 and lr<=0.01",
                "acc>0.4 and lr=0.01",
                "acc > 0.9 or acc < 0.6",
                "acc>0.9 and lr=9 or opt=adam",
                "opt=adam or acc>0.9 and lr=9",
                "(opt=adam or acc>0.9) AND lr<1",
                "((opt!=sgd))",
                "opt<>'sgd'",
                "acc:max>0.8",
                "acc:min=0.25",
                "metric.acc:last=0.5",
                "acc:count=4",
                "val:loss=2",
                "val:loss:max=3",
                "both=7",
                "param.both=7",
                "metric.both=9",
                "both:max=10",
                "net.depth=3",
                "'my name'=\"x y\"",
                "'and'=1",
                "best",
                "tag.best and stage=2",
                "best=true",
                "acc",
                "zero=0",
                "'it''s'=\"say \"\"x\"\"\"",
                "sha!=7e88888",
                "((lr=1) or (lr=2) or (lr=3) or (lr=4) or (lr=5) or (lr=6) or (lr=7) or (lr=8) or (lr=9) or (lr=10) or"
                        + " (lr=11) or (lr=12) or (lr=13) or (lr=14) or (lr=15) or (lr=16) or (lr=17) or (lr=18) or (lr=19)"
                        + " or (lr=20) or (lr=21) or (lr=22) or (lr=23) or (lr=24) or (lr=25) or (lr=26) or (lr=0.01))",
                "opt=\"adam\"and(stage>1)",
            })
    void holds(String text) throws NoCondition {
        assertThat(ConditionParser.parse(text).holds(TOLD)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lr=0.1",
                "lr!=0.01",
                "opt>1",
                "opt=Adam",
                "missing",
                "missing=1",
                "missing!=1",
                "metric.lr=0.01",
                "tag.lr",
                "lr:max>0",
                "broken>0",
                "broken<=0",
                "broken:max>0",
                "nothing>0",
                "nothing<=0",
                "nothing=nan",
                "nothing!=3",
                "broken!=3",
                "broken=NaN",
                "sha=7e88888",
                "(opt=adam or acc>0.9) and lr>1",
            })
    void doesNotHold(String text) throws NoCondition {
        assertThat(ConditionParser.parse(text).holds(TOLD)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
                    acc>                | must have a value in the place of the end
                    acc>0.9 lr=1        | must have 'and' or 'or' before 'lr'
                    acc>0.9 and         | must have a name in the place of the end
                    and acc>0.9         | must have a name in the place of 'and'
                    >0.9                | must have a name in the place of '>'
                    acc=>0.9            | has '=>', which must be one of
                    acc>high            | compares with 'high', which must be a number
                    acc<nan             | compares with 'nan', which must be a number
                    (acc>0.9            | has an opening parenthesis without a closing one
                    acc>0.9)            | must have 'and' or 'or' before ')'
                    acc='x              | has an opening quote without a closing one
                    ''=1                | must have a name in the place of ''
                    acc>(0.9)           | must have a value in the place of '('
                    ()                  | must have a name in the place of ')'
                    """)
    void saysWhatIsWrong(String text, String sentence) {
        assertThatThrownBy(() -> ConditionParser.parse(text))
                .isInstanceOf(NoCondition.class)
                .hasMessageStartingWith(sentence);
    }

    @Test
    void hasBounds() {
        assertThatThrownBy(() -> ConditionParser.parse("(".repeat(1_000) + "acc"))
                .hasMessage("must have at most 50 parentheses");
        assertThatThrownBy(() -> ConditionParser.parse("acc or ".repeat(60) + "acc"))
                .hasMessage("must have at most 50 comparisons");
        assertThatThrownBy(() -> ConditionParser.parse("a".repeat(2_001)))
                .hasMessage("must have at most 2000 characters");
    }
}
