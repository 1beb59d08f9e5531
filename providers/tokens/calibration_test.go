package tokens

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// samples are texts of one class each, cut to pieces of a request's usual size.
func samples(t *testing.T) map[string][]string {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 40_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	var code []string
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("found %d source files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "calibration_test.go") { // its mixed scripts are no code
			code = append(code, pieces(string(text), 1500)...)
		}
	}
	return map[string][]string{
		"English":     english,
		"European":    european,
		"CJK":         cjk,
		"far scripts": farScripts,
		"emoji":       emoji,
		"code":        code,
		"JSON":        jsonTexts(t, random),
		"base64":      pieces(base64.StdEncoding.EncodeToString(noise), 2000),
		"hex":         pieces(hex.EncodeToString(noise), 2000),
		"digits":      {"3.14159265358979323846264338327950288419716939937510", "2026-11-29T21:11:08Z 10.0.0.17:52111 0x7f 1,048,576", "1 2 3 4 5 6 7 8 9 10 11 12 13"},
		"blank":       {strings.Repeat("\n", 500), strings.Repeat(" ", 500), strings.Repeat("    x\n", 100), strings.Repeat("\tif a {\n\t\tb()\n\t}\n\n", 30)},
		"frames":      {strings.Repeat("-", 300), strings.Repeat("=*", 80), "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n", "┌────┬────┐\n│ a  │ b  │\n├────┼────┤\n"},
	}
}

func pieces(s string, size int) (out []string) {
	for len(s) > size {
		out = append(out, strings.ToValidUTF8(s[:size], ""))
		s = s[size:]
	}
	return append(out, s)
}

func jsonTexts(t *testing.T, random *rand.Rand) (out []string) {
	words := strings.Fields(english[0])
	for range 20 {
		rows := make([]map[string]any, 12)
		for i := range rows {
			rows[i] = map[string]any{
				"id": random.Uint32(), "name": words[random.IntN(len(words))], "active": i%2 == 0, "score": random.Float64(),
				"tags": words[:random.IntN(4)], "createdAt": fmt.Sprintf("2026-%02d-%02dT08:15:00Z", 1+i, 1+random.IntN(28)), "parent": nil,
			}
		}
		dense, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		pretty, err := json.MarshalIndent(rows, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(dense), string(pretty))
	}
	return out
}

// The promise of the package: the cheap figure hardly ever falls below the true count, and is not far above it. A class
// that is no running text (a frame, a blank page) may be far above, as it is never long.
func TestCheapFigureFitsTheTrueCount(t *testing.T) {
	loose := map[string]bool{"digits": true, "blank": true, "frames": true, "emoji": true, "far scripts": true}
	for class, texts := range samples(t) {
		t.Run(class, func(t *testing.T) {
			var ratios []float64
			for _, text := range texts {
				var c Counter
				c.Add(text)
				ratio := float64(c.Tokens()) / float64(CountText(text, "gpt-5"))
				ratios = append(ratios, ratio)
				if ratio < 0.97 {
					t.Errorf("%.2f of the true count for %.80q", ratio, text)
				}
			}
			slices.Sort(ratios)
			median := ratios[len(ratios)/2]
			t.Logf("%d texts: min %.2f, median %.2f, max %.2f", len(ratios), ratios[0], median, ratios[len(ratios)-1])
			if most := 1.35; median > most && !loose[class] {
				t.Errorf("the median is %.2f, above %.2f", median, most)
			}
		})
	}
}

var english = []string{
	"The kettle had been whistling for a minute before anyone noticed, and by then the window above the stove was white with steam. Nora turned it down, counted the cups on the shelf, and decided that six people would have to share five of them, as they always did on Thursdays.",
	"A budget is a promise that you make to yourself on a calm morning and keep on a hurried evening. It works when it is small enough to remember, honest enough to survive a surprise, and visible at the moment when the money is about to be spent.",
	"Please review the attached proposal and answer three questions: which assumption worries you most, what would you measure first, and who ought to be told before Friday? Short answers are welcome; unexplained ones are not.",
	"Can you fix it?",
	"Photosynthesis converts electromagnetic radiation into chemical energy; chlorophyll, thylakoid membranes and carbon-fixing enzymes cooperate, although photorespiration squanders a considerable fraction under unfavourable circumstances.",
	"I don't think we'd have found it without Sam's notes. They're messy, sure, but they've got dates, and it's the dates that told us what wasn't there.",
}

var european = []string{
	"Die Straßenbahn fuhr durch den Regen, während die Fahrgäste ihre Geschwindigkeitsbeschränkungen und Versicherungsunterlagen besprachen. Niemand wusste, wann die nächste Haltestelle käme, doch alle hielten ihre Schirme fest.",
	"Après le déjeuner, nous avons relu le contrat à voix haute : chaque virgule semblait cacher une dépense oubliée. L'été, répétait-elle, on signe trop vite, et l'hiver, on s'en souvient.",
	"Mañana temprano saldremos hacia la montaña; llevaremos pan, queso y una brújula vieja que señala siempre un poco al oeste. ¿Quién se acordó del café?",
	"Wczoraj wieczorem próbowaliśmy naprawić zepsuty zegar, lecz brakowało nam najmniejszej śrubki. Dziś rano znalazła się w cukiernicy.",
	"Dnes ráno jsme zjistili, že měřič počítal všechno dvakrát, a proto jsme přepsali celou tabulku od začátku.",
	"Yarın sabah toplantıda günlük bütçeyi paylaştıracağız; herkes kendi payını önceden görebilsin diye küçük bir çizelge hazırladım.",
	"Tänään keskustelemme siitä, miten päivittäinen kiintiö jaetaan, jotta kaikki voivat käyttää malleja oikeudenmukaisesti.",
	"Сегодня утром мы открыли старый шкаф и нашли в нём карту города, на которой ещё не было нашей улицы. Бабушка сказала, что так даже лучше.",
	"Το πρωί ανοίξαμε το παλιό ντουλάπι και βρήκαμε έναν χάρτη της πόλης, όπου ο δρόμος μας δεν υπήρχε ακόμη.",
}

var cjk = []string{
	"早上六点，面包师打开了店门。街上还没有人，只有一只猫坐在台阶上，好像在等今天的第一炉面包。他笑了笑，把灯打开，开始和面。",
	"我們決定把每天的額度分成三份：一份給日常工作，一份留給意外，最後一份誰也不許碰，直到月底才打開來看看還剩下多少。",
	"朝の電車は静かだった。窓の外では田んぼが白く光り、隣の席の子どもが指で数を数えていた。「あと三つで着くよ」と母親が言った。",
	"データベースのトランザクションをコミットする前に、バッチの中のエラーを必ず確認してください。",
	"아침 일찍 시장에 나가 보니 상인들이 벌써 과일을 쌓아 올리고 있었다. 할머니는 사과 세 개를 고르고 값을 천천히 세어 주셨다.",
	"请解释一下 `context.Context` 在 Go 1.26 里的用法，并给出一个带超时的 HTTP 例子。",
}

var farScripts = []string{
	"في الصباح فتحنا الخزانة القديمة فوجدنا خريطة للمدينة لم يكن شارعنا مرسوما فيها بعد.",
	"בבוקר פתחנו את הארון הישן ומצאנו מפה של העיר, שבה הרחוב שלנו עדיין לא היה קיים.",
	"सुबह हमने पुरानी अलमारी खोली और उसमें शहर का एक नक्शा मिला, जिसमें हमारी गली अभी बनी नहीं थी।",
	"ตอนเช้าเราเปิดตู้เก่าและพบแผนที่ของเมือง ซึ่งถนนของเรายังไม่มีอยู่ในนั้น",
	"காலையில் பழைய அலமாரியைத் திறந்தபோது நகரத்தின் வரைபடம் ஒன்று கிடைத்தது.",
	"დილით ძველი კარადა გავაღეთ და ქალაქის რუკა ვიპოვეთ, სადაც ჩვენი ქუჩა ჯერ არ იყო.",
	"ጠዋት አሮጌውን ቁም ሳጥን ከፍተን የከተማዋን ካርታ አገኘን።",
	"Առավոտյան բացեցինք հին պահարանը և գտանք քաղաքի քարտեզը։",
}

var emoji = []string{
	"😀😃😄😁😆😅🤣😂🙂🙃😉😊😇🥰😍🤩😘🚀🔥🎉✅❌⚠️📦🧵🪴🫠",
	"👨‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🇩🇪 🇫🇷 🇯🇵 ❤️ 🤦🏿‍♂️",
	"Shipped it 🎉🎉 — thanks everyone! 🙏 Next: fix the flaky test 😅",
	"∀x∈ℝ: ∃y ≤ √x ⇒ ∑ᵢ xᵢ² ≠ ∞, ∫₀¹ f(t)dt → π²/6 ± ½·ε",
}
