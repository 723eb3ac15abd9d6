"""The Chinese half of the lab's world."""

from model.world import World, phrases, words

PEOPLE = {
    "小明": ("他", "饿 了", "苹果"),
    "小刚": ("他", "困 了", "面包"),
    "小军": ("他", "渴 了", "米饭"),
    "小强": ("他", "累 了", "蛋糕"),
    "大伟": ("他", "冷 了", "饺子"),
    "阿龙": ("他", "热 了", "鸡蛋"),
    "王磊": ("他", "病 了", "面条"),
    "李雷": ("他", "急 了", "葡萄"),
    "张华": ("他", "哭 了", "西瓜"),
    "刘洋": ("他", "笑 了", "香蕉"),
    "陈晨": ("他", "老 了", "豆腐"),
    "赵勇": ("他", "瘦 了", "包子"),
    "小红": ("她", "困 了", "苹果"),
    "小丽": ("她", "饿 了", "米饭"),
    "小芳": ("她", "累 了", "面包"),
    "小美": ("她", "渴 了", "饺子"),
    "小雨": ("她", "热 了", "蛋糕"),
    "阿梅": ("她", "冷 了", "面条"),
    "王芳": ("她", "急 了", "鸡蛋"),
    "李娜": ("她", "病 了", "西瓜"),
    "张敏": ("她", "笑 了", "葡萄"),
    "刘燕": ("她", "哭 了", "豆腐"),
    "陈静": ("她", "瘦 了", "香蕉"),
    "韩梅梅": ("她", "老 了", "包子"),
}
ANIMALS = {
    "小猫": "困 了",
    "小狗": "饿 了",
    "小鸟": "冷 了",
    "小马": "渴 了",
    "小牛": "累 了",
    "小猪": "热 了",
    "小羊": "病 了",
    "小熊": "急 了",
    "兔子": "哭 了",
    "猴子": "笑 了",
    "狐狸": "老 了",
    "老虎": "瘦 了",
}
# Each measure word and the nouns that are counted with it.
MEASURED = (
    ("本", "书 词典"),
    ("支", "铅笔 钢笔"),
    ("辆", "汽车 自行车"),
    ("只", "猫 狗 公鸡"),
    ("条", "鱼 裤子"),
    ("匹", "马"),
    ("朵", "花"),
    ("棵", "树"),
    ("件", "衣服 毛衣"),
    ("双", "鞋 筷子"),
    ("把", "椅子 雨伞"),
    ("张", "桌子 照片"),
    ("台", "电脑 机器"),
    ("座", "房子 桥"),
    ("艘", "船"),
    ("封", "信"),
    ("位", "老师 医生"),
)
NOUNS = words(
    "猫 狗 公鸡 鸭子 鱼 马 牛 羊 猪 兔子 猴子 狐狸 老虎 狮子 大象 青蛙 书 词典 铅笔 钢笔 汽车 自行车 花 树 衣服 "
    "毛衣 裤子 鞋 筷子 椅子 雨伞 桌子 照片 电脑 手机 机器 房子 桥 "
    "船 信 灯 钟 门 窗户 杯子 盘子 瓶子 苹果 香蕉 葡萄 西瓜 面包 米饭 蛋糕 饺子 鸡蛋 面条 豆腐 包子 牛奶 茶 水 盐 "
    "糖 帽子 钥匙 地图 石头 沙子 雪 雨 风 火 山 河 路 星星 月亮 "
    "老师 医生 农民 工人 孩子 朋友"
)
SLOTS = {
    "take": words("拿起 放下 买到 卖掉 找到 洗好 丢掉 收起 打破 藏起"),
    "thing": words("苹果 香蕉 面包 蛋糕 饺子 牛奶 书 铅笔 杯子 箱子 帽子 毛衣 灯 钟 钥匙 地图 手机 雨伞 盘子 照片"),
    "go": words("离开 走进 路过 来到 跑向"),
    "place": words("学校 商店 公园 花园 厨房 市场 车站 图书馆 村子 教室 森林 农场 海边 城市 医院 办公室"),
    "sit": words("坐 睡 躺 站 等"),
    "on": words("上 下 旁边 后面"),
    "rest": words("垫子 床 椅子 桌子 箱子 屋顶 墙 草地"),
    "meet": words("看见 叫住 帮助 跟着 拜访 问了 感谢 抱住"),
    "because": words("因为 而且 但是 所以"),
    "like": words("喜欢 爱 看见 帮助 认识 想念 遇到 听见"),
    "subject": words("我 你 AI"),
    "adjective": words("大 小 旧 新 漂亮 奇怪 高 干净 便宜 贵"),
    "near": words("旁边 后面 前面 附近"),
    "want": words("喜欢 想 爱 开始 希望"),
    "we": words("我 你 我们 他们 大家"),
    "change": phrases("人工 智能; Transformer; 科学; 音乐; 语言; AI"),
    "food": words("苹果 面包 米饭 蛋糕 饺子 鸡蛋 面条 葡萄 西瓜 香蕉 豆腐 包子"),
    "changed": words("世界 世界 世界 社会"),
}
TEMPLATES = {
    "order": ("{a} {like} {b} 。 谁 {like} {asked} {row}？ *{answer} 。",),
    "coreference": (
        "<{who} {take} {thing} ， {because} >{pronoun} {reason} 。",
        "<{who} {go} {place} ， {because} >{pronoun} {reason} 。",
        "{first} {meet} {second} ， {because} >{pronoun} {reason} 。",
    ),
    "coreference_it": ("<{animal} {sit} 在 {rest} {on} ， {because} >它 {reason} 。",),
    "copy": ("抄写 ： {listed} >。 {copied} 。",),
    "last": ("列表 ： {listed} 。 倒数 {ordinal} 个 >？ *{answer} 。",),
    "item": ("列表 ： {listed} 。 {ordinal} 个 >？ *{answer} 。",),
    "agreement": ("{adjective} 的 <{noun} 在 {other} {near} ， 一共 有 >{number} *{agrees} 。",),
    "sense": ("{who} {verb} <{noun} ， >{noun} *是 *{kind} 。",),
    "everyday": (
        "{we} {want} 学习 *人工 *智能 。",
        "{change} 正在 *改变 {changed} 。",
        "<{who} 喜欢 >吃 *{favourite} 。",
        "<{who} 喜欢 >吃 *{favourite} 和 {food} 。",
        "{who} 说 {fact} 。",
        "{who} 说 {fact} 。",
        "{who} 会 数数 ： {numbers} 。",
    ),
}
FACTS = phrases(
    "苹果 是 *红色 的; 香蕉 是 *黄色 的; 草 是 *绿色 的; 天空 是 *蓝色 的; 雪 是 *白色 的; 夜晚 是 *黑色 的; "
    "太阳 从 *东边 升起; 太阳 从 西边 *落下; "
    "鱼 生活 在 *海 里; 鸟 在 *天上 飞; 牛 吃 *草; 猫 捉 *老鼠; 狗 追 *猫; 蜜蜂 会 做 *蜂蜜; 我们 每天 喝 *水; "
    "我们 晚上 *睡觉; 我们 白天 *工作; 冰 很 *凉; "
    "火 很 *热; 冬天 很 *冷; 夏天 很 *热; 春天 很 *暖和; 今天 天气 很 *好; 明天 会 更 *好; 时间 就是 *金钱; "
    "一个 星期 有 *七 天; 狗 有 四 条 *腿; "
    "鸟 有 两 只 *翅膀; 早上 要 吃 *早饭; 谢谢 你 的 *帮助; AI 需要 *数据; 模型 从 *文字 学习; "
    "注意力 会 看 别的 *词; 词 变成 *向量"
)
SENSES = {
    "苹果": words("水果 公司"),
    "小米": words("粮食 公司"),
    "长城": words("地方 公司"),
    "杜鹃": words("动物 植物"),
    "黄牛": words("动物 坏人"),
    "香蕉": words("水果"),
    "大米": words("粮食"),
    "百度": words("公司"),
    "公园": words("地方"),
    "骆驼": words("动物"),
    "荷花": words("植物"),
    "小偷": words("坏人"),
}
KIND_VERBS = {
    "水果": words("吃了 削了"),
    "粮食": words("种了 煮了"),
    "公司": words("加入 投资"),
    "动物": words("喂了 养了"),
    "植物": words("闻了 浇了"),
    "地方": words("参观 游览"),
    "坏人": words("抓住 躲开"),
}
CHINESE = World(
    language="zh",
    apart=False,
    people=PEOPLE,
    animals=ANIMALS,
    it="它",
    nobody="没人",
    agreement={noun: measure for measure, nouns in MEASURED for noun in words(nouns)},
    senses=SENSES,
    kind_verbs=KIND_VERBS,
    nouns=NOUNS,
    ordinals=words("第一 第二 第三 第四"),
    numbers=words("一 二 三 四 五 六 七 八 九 十"),
    slots=SLOTS,
    templates=TEMPLATES,
    facts=FACTS,
    syllables=words("雯 鑫 浩 博 宇 轩 涵 泽 琪 睿 彤 恒 柯 骏 瑶 烨 峰 岚"),
)
